// Stands in for the view that is being built.
export const AgentsView = () => <h1 tabIndex={-1}>{"Agents"}</h1>;

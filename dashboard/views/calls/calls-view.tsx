// Stands in for the view that is being built.
export const CallsView = () => <h1 tabIndex={-1}>{"Calls"}</h1>;

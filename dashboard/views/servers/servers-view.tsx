// Stands in for the view that is being built.
export const ServersView = () => <h1 tabIndex={-1}>{"Servers"}</h1>;

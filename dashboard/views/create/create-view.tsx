// Stands in for the view that is being built.
export const CreateView = () => <h1 tabIndex={-1}>{"New agent"}</h1>;

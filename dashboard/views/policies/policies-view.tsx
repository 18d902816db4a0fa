// Stands in for the view that is being built.
export const PoliciesView = () => <h1 tabIndex={-1}>{"Policies"}</h1>;

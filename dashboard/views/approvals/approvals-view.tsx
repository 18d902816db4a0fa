// Stands in for the view that is being built.
export const ApprovalsView = () => <h1 tabIndex={-1}>{"Approvals"}</h1>;

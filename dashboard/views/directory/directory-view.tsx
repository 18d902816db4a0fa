// Stands in for the view that is being built.
export const DirectoryView = () => <h1 tabIndex={-1}>{"Directory"}</h1>;

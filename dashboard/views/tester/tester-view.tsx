// Stands in for the view that is being built.
export const TesterView = () => <h1 tabIndex={-1}>{"Tester"}</h1>;

// Stands in for the view that is being built.
export const DiscoverView = () => <h1 tabIndex={-1}>{"Discover"}</h1>;

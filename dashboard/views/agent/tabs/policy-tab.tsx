// Stands in for the tab that is being built.
export const PolicyTab = ({ name }: { name: string }) => <p>{name}</p>;

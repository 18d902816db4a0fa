// Stands in for the tab that is being built.
export const RunsTab = ({ name }: { name: string }) => <p>{name}</p>;

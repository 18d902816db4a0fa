// Stands in for the tab that is being built.
export const ToolsTab = ({ name }: { name: string }) => <p>{name}</p>;

// Stands in for the tab that is being built.
export const DefinitionTab = ({ name }: { name: string }) => <p>{name}</p>;

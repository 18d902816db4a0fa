// Stands in for the view that is being built.
export const AgentView = ({ name }: { name: string }) => <h1 tabIndex={-1}>{name}</h1>;

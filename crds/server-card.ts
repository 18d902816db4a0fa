// What agents and registry agree on about server cards (CAT-11): the draft's card at {agent url}/server-card, and where
// the catalogue of all cards is. A card says who a server is and how to connect, never what it offers.
// Source: modelcontextprotocol SEP-2127 and its extension repository, July 2026.

export const aiCatalogPath = "/.well-known/ai-catalog.json";
export const serverCardMediaType = "application/mcp-server-card+json";
export const serverCardSchemaUrl = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/** Of cards and of their catalogue; they change with an edit of the resources only. */
export const cardCacheControl = "public, max-age=3600";

/** Where an agent's card is; `agentUrl` ends in /mcp. */
export const serverCardUrl = (agentUrl: string): string => `${agentUrl}/server-card`;

export interface ServerCard {
  $schema: typeof serverCardSchemaUrl;
  /** As in the registry's catalogue: namespace, slash, slug. */
  name: string;
  title: string;
  /** 1–100 characters. */
  description: string;
  version: string;
  remotes: { type: "streamable-http"; url: string; supportedProtocolVersions: readonly string[] }[];
}

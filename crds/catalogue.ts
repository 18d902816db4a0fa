// The shape of a catalogue entry: server.json of 2025-12-11 inside, the registry's own metadata outside
// (CAT-1…6). Rendering is in plan/; here is only what registry and clients agree on.

export const cataloguePath = "/.well-known/mcp/server.json";
export const serverSchemaUrl = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
export const officialMetaKey = "io.modelcontextprotocol.registry/official";
export const runtimeMetaKey = "ca.helu.pallas/runtime";
export const maxDescriptionLength = 100;
/** Of namespace, slash and slug together. */
export const maxCatalogueNameLength = 200;
export const defaultCapabilities = { vision: false, contextWindow: 131_072, maxOutputTokens: 16_384 } as const;

export interface CatalogueIcon {
  src: string;
  mimeType?: string;
  sizes: string[];
}

export interface CatalogueServer {
  $schema: typeof serverSchemaUrl;
  name: string;
  title: string;
  description: string;
  version: string;
  icons?: CatalogueIcon[];
  remotes: { type: "streamable-http"; url: string }[];
  capabilities?: { model: string; vision: boolean; context_window: number; max_output_tokens: number };
}

/** Facts about the running agent; nothing in it changes with every poll (CAT-6). */
export interface RuntimeMeta {
  health?: "ok" | "degraded" | "error";
  healthSince?: string;
  readyReplicas: number;
  message?: string;
}

export interface CatalogueEntry {
  server: CatalogueServer;
  _meta: {
    [officialMetaKey]: { status: "active"; updatedAt: string; isLatest: true };
    [runtimeMetaKey]: RuntimeMeta;
  };
}

// The shapes of everything the registry answers, as JSON Schema 2020-12 for /openapi.json. Those of the generic registry
// API are as the registry project's OpenAPI has them, and as strict as what we answer; a test holds answers against them.

const text = { type: "string" } as const;
const time = { type: "string", format: "date-time" } as const;
const uri = { type: "string", format: "uri" } as const;
const count = { type: "integer", minimum: 0 } as const;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object) => ({ type: "array", items });
/** An object of which these properties are always there. */
const closed = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});
const open = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  ...closed(required, optional),
  additionalProperties: true,
});

const serverName = { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" };
const shortText = { type: "string", minLength: 1, maxLength: 100 };
const phase = { enum: ["starting", "live", "degraded"] };

const ModelCapabilities = closed({
  model: text,
  vision: { type: "boolean" },
  context_window: count,
  max_output_tokens: count,
});

const Server = open(
  {
    $schema: uri,
    name: serverName,
    title: shortText,
    description: shortText,
    version: { type: "string", maxLength: 255 },
    remotes: listOf(closed({ type: { const: "streamable-http" }, url: text })),
  },
  {
    icons: listOf(closed({ src: uri, sizes: listOf(text) }, { mimeType: text })),
    capabilities: ref("ModelCapabilities"),
  },
);

const Runtime = closed(
  { readyReplicas: count },
  { health: { enum: ["ok", "degraded", "error"] }, healthSince: time, message: text },
);

const CatalogueEntry = closed({
  server: ref("Server"),
  _meta: closed({
    "io.modelcontextprotocol.registry/official": closed({
      status: { const: "active" },
      updatedAt: time,
      isLatest: { const: true },
    }),
    "ca.helu.pallas/runtime": ref("Runtime"),
  }),
});

const Catalogue = closed(
  { servers: listOf(ref("CatalogueEntry")) },
  { _meta: closed({ "ca.helu.pallas/registry": closed({ staleSince: time }) }) },
);

const ServerResponse = closed({
  server: ref("Server"),
  _meta: closed(
    {
      "io.modelcontextprotocol.registry/official": closed({
        status: { enum: ["active", "deleted"] },
        statusChangedAt: time,
        publishedAt: time,
        updatedAt: time,
        isLatest: { type: "boolean" },
      }),
      "ca.helu.pallas/runtime": ref("Runtime"),
    },
    { "ca.helu.pallas/capabilities": ref("ModelCapabilities") },
  ),
});

const ServerList = closed({
  servers: listOf(ref("ServerResponse")),
  metadata: closed({ count }, { nextCursor: { type: "string", minLength: 1, pattern: "^[A-Za-z0-9_-]+$" } }),
});

const AiCatalog = closed({
  specVersion: text,
  entries: listOf(
    closed({
      identifier: { type: "string", pattern: "^urn:air:[^:]+:mcp:[^:]+$" },
      displayName: shortText,
      description: shortText,
      version: text,
      type: { const: "application/mcp-server-card+json" },
      mediaType: { const: "application/mcp-server-card+json" },
      url: { type: "string", pattern: "/mcp/server-card$" },
    }),
  ),
});

const SourceState = closed({ state: phase, since: time });
const Health = closed({
  status: { enum: ["ok", "starting", "degraded"] },
  source: closed({ resources: SourceState, endpoints: SourceState }),
  instances: listOf(
    closed({
      namespace: text,
      name: text,
      providers: {
        type: "object",
        additionalProperties: closed({ ok: { type: "boolean" }, checkedAt: text }, { detail: text }),
      },
      pods: closed({ known: count, reporting: count }),
    }),
  ),
  slugConflicts: listOf(closed({ slug: text, kept: text, leftOut: text })),
  unreadable: listOf(text),
});

const Probe = closed({ status: { enum: ["ok", "unavailable"] } }, { reason: text });
/** `error` is a word for programs where `message` is there, else a sentence. */
const Failure = closed({ error: text }, { message: text });

export const schemas = {
  ModelCapabilities,
  Server,
  Runtime,
  CatalogueEntry,
  Catalogue,
  ServerResponse,
  ServerList,
  AiCatalog,
  Health,
  Probe,
  Failure,
};

// The shape of a catalogue entry: server.json of 2025-12-11 inside, the registry's own metadata outside
// (CAT-1…6). Rendering is in plan/; here is only what registry and clients agree on, which /openapi.json tells them.
import * as z from "zod";
import { healthStatusSchema } from "./health.ts";

export const cataloguePath = "/.well-known/mcp/server.json";
export const serverSchemaUrl = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
export const officialMetaKey = "io.modelcontextprotocol.registry/official";
export const toolServerMetaKey = "ca.helu.pallas/tool_server";
export const runtimeMetaKey = "ca.helu.pallas/runtime";
export const maxDescriptionChars = 100;
/** Of namespace, slash and slug together. */
export const maxCatalogueNameChars = 200;
export const defaultCapabilities = { vision: false, contextWindow: 131_072, maxOutputTokens: 16_384 } as const;

/** RFC 3339, UTC. */
export const timeSchema = z.iso.datetime({ offset: true });
export const countSchema = z.int().min(0);

const shortText = z.string().min(1).max(maxDescriptionChars);

export const identitySchema = z.object({
  /** Namespace, slash, slug. */
  name: z
    .string()
    .min(3)
    .max(maxCatalogueNameChars)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: shortText,
  description: shortText,
  version: z.string().max(255),
});

export type CatalogueIdentity = z.output<typeof identitySchema>;

export const modelCapabilitiesSchema = z.object({
  model: z.string(),
  vision: z.boolean(),
  context_window: countSchema,
  max_output_tokens: countSchema,
});

const remoteSchema = z.object({ type: z.literal("streamable-http"), url: z.string() });

/** The registry project may add to it. */
export const serverSchema = identitySchema
  .extend({
    $schema: z.literal(serverSchemaUrl),
    icons: z
      .array(z.object({ src: z.url(), mimeType: z.string().exactOptional(), sizes: z.array(z.string()) }))
      .exactOptional(),
    remotes: z.array(remoteSchema),
    capabilities: modelCapabilitiesSchema.exactOptional(),
  })
  .meta({ additionalProperties: true });
export type CatalogueServer = z.output<typeof serverSchema>;

export const packageSchema = z.object({
  registryType: z.enum(["npm", "pypi", "oci"]),
  identifier: z.string(),
  version: z.string().exactOptional(),
  transport: z.object({ type: z.literal("stdio") }),
});

/** Facts about a tool server that other registries do not know. */
export const toolServerMetaSchema = z.object({
  /** As agents of the instance refer to it. */
  serverName: z.string(),
  /** Whether it is started. */
  active: z.boolean(),
  tags: z.array(z.string()).exactOptional(),
  toolCount: countSchema.exactOptional(),
});

/** Facts about the running agent; nothing in it changes with every poll (CAT-6). */
export const runtimeMetaSchema = z.object({
  health: healthStatusSchema.exactOptional(),
  healthSince: timeSchema.exactOptional(),
  readyReplicas: countSchema,
  message: z.string().exactOptional(),
});
export type RuntimeMeta = z.output<typeof runtimeMetaSchema>;

export const catalogueEntrySchema = z.object({
  server: serverSchema,
  _meta: z.object({
    [officialMetaKey]: z.object({ status: z.literal("active"), updatedAt: timeSchema, isLatest: z.literal(true) }),
    [runtimeMetaKey]: runtimeMetaSchema,
  }),
});
export type CatalogueEntry = z.output<typeof catalogueEntrySchema>;

type EntryMeta = CatalogueEntry["_meta"];

/** As the generic registry API lists a tool server; the catalogue is of agents. */
export interface ToolServerEntry {
  readonly server: Omit<CatalogueServer, "icons" | "capabilities"> & { packages?: z.output<typeof packageSchema>[] };
  readonly _meta: Pick<EntryMeta, typeof officialMetaKey> & {
    readonly [toolServerMetaKey]: z.output<typeof toolServerMetaSchema>;
  };
}

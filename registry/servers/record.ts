// One server of the generic registry API (CAT-10): its answer as JSON text, and what it is found by. Both are made when
// the resource changes, not when somebody asks.
import * as z from "zod";
import type { PallasAgent } from "../../crds/agent.ts";
import {
  catalogueEntrySchema,
  officialMetaKey,
  packageSchema,
  runtimeMetaKey,
  runtimeMetaSchema,
  timeSchema,
  toolServerMetaKey,
  toolServerMetaSchema,
  type CatalogueEntry,
  type ToolServerEntry,
} from "../../crds/catalogue.ts";
import type { PallasServer } from "../../crds/server.ts";
import { defined } from "../../lib/process/defined.ts";
import { digest } from "../../lib/process/entity-tag.ts";

/** The same facts as `server.capabilities`, which other registries do not know. */
const capabilitiesMetaKey = "ca.helu.pallas/capabilities";

const { server: serverSchema, _meta: metaSchema } = catalogueEntrySchema.shape;
export const serverResponseSchema = z.object({
  /** With packages: a tool server. */
  server: serverSchema
    .extend({ packages: z.array(packageSchema).exactOptional() })
    .meta({ additionalProperties: true }),
  _meta: metaSchema.extend({
    /** Of agents only, as the next one is of tool servers. */
    [runtimeMetaKey]: runtimeMetaSchema.exactOptional(),
    [toolServerMetaKey]: toolServerMetaSchema.exactOptional(),
    [officialMetaKey]: z.object({
      status: z.enum(["active", "deleted"]),
      statusChangedAt: timeSchema,
      publishedAt: timeSchema,
      updatedAt: timeSchema,
      isLatest: z.boolean(),
    }),
    [capabilitiesMetaKey]: serverSchema.shape.capabilities,
  }),
});

/** An agent or a tool server that is listed. */
export interface Recorded {
  readonly resource: PallasAgent | PallasServer;
  /** The same object for as long as nothing of it changes. */
  readonly entry: CatalogueEntry | ToolServerEntry;
}

export interface ServerRecord {
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly isDeleted: boolean;
  /** Lower case: what a search looks in. */
  readonly searched: string;
  /** JSON of the answer. */
  readonly text: string;
  /** Of the text, for ETags of pages. */
  readonly digest: string;
}

/** `updatedAt` (milliseconds since 1970) is never before the entry's own. */
export const renderRecord = (listed: Recorded, updatedAt: number): ServerRecord =>
  render(listed, { status: "active", updatedAt });

/** What is left of a server that is gone. */
export const renderTombstone = (listed: Recorded, deletedAt: number): ServerRecord =>
  render(listed, { status: "deleted", updatedAt: deletedAt });

function render(
  { resource, entry: { server, _meta } }: Recorded,
  { status, updatedAt }: { status: "active" | "deleted"; updatedAt: number },
): ServerRecord {
  const capabilities = "capabilities" in server ? server.capabilities : undefined;
  const publishedAt = resource.metadata.creationTimestamp ?? _meta[officialMetaKey].updatedAt;
  const response: z.output<typeof serverResponseSchema> = {
    server,
    _meta: {
      ..._meta,
      [officialMetaKey]: {
        status,
        statusChangedAt: status === "deleted" ? toUtc(updatedAt) : publishedAt,
        publishedAt,
        updatedAt: toUtc(updatedAt),
        isLatest: true,
      },
      ...defined({ [capabilitiesMetaKey]: capabilities }),
    },
  };
  const text = JSON.stringify(response);
  return {
    name: server.name,
    version: server.version,
    updatedAt,
    isDeleted: status === "deleted",
    searched: `${server.name}\n${server.title}\n${server.description}`.toLowerCase(),
    text,
    digest: digest(text),
  };
}

const toUtc = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");

// One server of the generic registry API (CAT-10): its answer as JSON text, and what it is found by. Both are made when
// the agent changes, not when somebody asks.
import * as z from "zod";
import { catalogueEntrySchema, officialMetaKey, timeSchema } from "../../crds/catalogue.ts";
import { defined } from "../../lib/process/defined.ts";
import { digest } from "../../lib/process/entity-tag.ts";
import type { ListedServer } from "../catalogue/listing.ts";

/** The same facts as `server.capabilities`, which other registries do not know. */
const capabilitiesMetaKey = "ca.helu.pallas/capabilities";

const { server: serverSchema, _meta: metaSchema } = catalogueEntrySchema.shape;
export const serverResponseSchema = z.object({
  server: serverSchema,
  _meta: metaSchema.extend({
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
export const renderRecord = (listed: ListedServer, updatedAt: number): ServerRecord =>
  render(listed, { status: "active", updatedAt });

/** What is left of a server that is gone. */
export const renderTombstone = (listed: ListedServer, deletedAt: number): ServerRecord =>
  render(listed, { status: "deleted", updatedAt: deletedAt });

function render(
  { agent, entry: { server, _meta } }: ListedServer,
  { status, updatedAt }: { status: "active" | "deleted"; updatedAt: number },
): ServerRecord {
  const { capabilities } = server;
  const publishedAt = agent.metadata.creationTimestamp ?? _meta[officialMetaKey].updatedAt;
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

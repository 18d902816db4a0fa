// One server of the generic registry API (CAT-10): its answer as JSON text, and what it is found by. Both are made when
// the agent changes, not when somebody asks.
import { officialMetaKey, type CatalogueEntry } from "../../crds/catalogue.ts";
import { digest } from "../catalogue/document.ts";
import type { ListedServer } from "../catalogue/listing.ts";

/** The same facts as `server.capabilities`, which other registries do not know. */
const capabilitiesMetaKey = "ca.helu.pallas/capabilities";

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
export function renderRecord({ agent, entry }: ListedServer, updatedAt: number): ServerRecord {
  const publishedAt = agent.metadata.creationTimestamp ?? entry._meta[officialMetaKey].updatedAt;
  return render(entry, { status: "active", statusChangedAt: publishedAt, publishedAt, updatedAt });
}

/** What is left of a server that is gone. */
export function renderTombstone({ agent, entry }: ListedServer, deletedAt: number): ServerRecord {
  const publishedAt = agent.metadata.creationTimestamp ?? entry._meta[officialMetaKey].updatedAt;
  return render(entry, { status: "deleted", statusChangedAt: toUtc(deletedAt), publishedAt, updatedAt: deletedAt });
}

function render(
  { server, _meta }: CatalogueEntry,
  times: { status: "active" | "deleted"; statusChangedAt: string; publishedAt: string; updatedAt: number },
): ServerRecord {
  const { capabilities } = server;
  const text = JSON.stringify({
    server,
    _meta: {
      ..._meta,
      [officialMetaKey]: {
        status: times.status,
        statusChangedAt: times.statusChangedAt,
        publishedAt: times.publishedAt,
        updatedAt: toUtc(times.updatedAt),
        isLatest: true,
      },
      ...(capabilities === undefined ? {} : { [capabilitiesMetaKey]: capabilities }),
    },
  });
  return {
    name: server.name,
    version: server.version,
    updatedAt: times.updatedAt,
    isDeleted: times.status === "deleted",
    searched: `${server.name}\n${server.title}\n${server.description}`.toLowerCase(),
    text,
    digest: digest(text),
  };
}

const toUtc = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");

// All servers of the generic registry API (CAT-10), those that are there and, for clients that ask what changed, those
// that went since the registry started. What went is kept for a week, and a thousand of them at most.
import { officialMetaKey } from "../../crds/catalogue.ts";
import { systemClock } from "../../lib/process/clock.ts";
import type { ListedServer, Listing } from "../catalogue/listing.ts";
import { resourceKey } from "../source/source.ts";
import { renderRecord, renderTombstone, type ServerRecord } from "./record.ts";

const maxTombstones = 1_000;
const tombstoneTtlMs = 7 * 24 * 3_600_000;

export interface ServerRecords {
  /** By name in code-unit order, tombstones among them; undefined before the first listing. */
  all(): readonly ServerRecord[] | undefined;
  find(name: string): ServerRecord | undefined;
  update(listing: Listing): void;
}

interface Kept {
  readonly listed: ListedServer;
  readonly record: ServerRecord;
}

export function createServerRecords(options: { now?: () => number } = {}): ServerRecords {
  const { now = systemClock.wallNow } = options;
  let live: ReadonlyMap<string, Kept> | undefined;
  /** In the order of deletion. */
  const deleted = new Map<string, ServerRecord>();
  let sorted: readonly ServerRecord[] | undefined;

  const forgetOld = () => {
    for (const [name, { updatedAt }] of deleted) {
      if (deleted.size <= maxTombstones && now() - updatedAt <= tombstoneTtlMs) return;
      deleted.delete(name);
      sorted = undefined;
    }
  };

  /** An entry says itself when it changed, but not that its name came back or was taken over by another agent: now. */
  const earliestChange = ({ agent, entry }: ListedServer): number => {
    const earlier = live?.get(entry.server.name);
    if (earlier === undefined) return deleted.has(entry.server.name) ? wholeSeconds(now()) : 0;
    const isSameAgent = resourceKey(earlier.listed.agent) === resourceKey(agent);
    return isSameAgent ? earlier.record.updatedAt : wholeSeconds(now());
  };
  const keep = (listed: ListedServer): Kept => {
    const { server, _meta } = listed.entry;
    const earlier = live?.get(server.name);
    if (earlier?.listed === listed) return earlier;
    const updatedAt = Math.max(Date.parse(_meta[officialMetaKey].updatedAt), earliestChange(listed));
    return { listed, record: renderRecord(listed, updatedAt) };
  };

  return {
    all() {
      if (live === undefined) return undefined;
      forgetOld();
      sorted ??= [...[...live.values()].map(({ record }) => record), ...deleted.values()].toSorted(byName);
      return sorted;
    },
    find(name) {
      forgetOld();
      return live?.get(name)?.record ?? deleted.get(name);
    },
    update({ servers }) {
      const before = live;
      live = new Map(servers.map((listed) => [listed.entry.server.name, keep(listed)]));
      for (const [name, { listed }] of before ?? []) {
        if (!live.has(name)) deleted.set(name, renderTombstone(listed, wholeSeconds(now())));
      }
      for (const name of live.keys()) deleted.delete(name);
      sorted = undefined;
      forgetOld();
    },
  };
}

const wholeSeconds = (time: number): number => Math.floor(time / 1_000) * 1_000;
const byName = (a: ServerRecord, b: ServerRecord): number => (a.name < b.name ? -1 : 1);

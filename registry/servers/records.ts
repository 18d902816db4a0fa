// All servers of the generic registry API (CAT-10), those that are there and, for clients that ask what changed, those
// that went since the registry started. What went is kept for a week, and a thousand of them at most.
import { officialMetaKey } from "../../crds/catalogue.ts";
import { systemClock } from "../../lib/process/clock.ts";
import type { SlugConflict } from "../../plan/catalogue.ts";
import type { Listing } from "../catalogue/listing.ts";
import { resourceKey } from "../source/source.ts";
import { renderRecord, renderTombstone, type Recorded, type ServerRecord } from "./record.ts";

const maxTombstones = 1_000;
const tombstoneTtlMs = 7 * 24 * 3_600_000;

export interface ServerRecords {
  /** By name in code-unit order, tombstones among them; undefined before the first listing. */
  all(): readonly ServerRecord[] | undefined;
  find(name: string): ServerRecord | undefined;
  /** Agents. */
  update(listing: Pick<Listing, "servers">): void;
  /** Tool servers, which join the agents once those are known. */
  updateToolServers(servers: readonly Recorded[]): void;
  /** Tool servers that are left out, since an agent, or an earlier one, has their name. */
  conflicts(): readonly SlugConflict[];
}

interface Kept {
  readonly listed: Recorded;
  readonly record: ServerRecord;
}

export function createServerRecords(options: { now?: () => number } = {}): ServerRecords {
  const { now = systemClock.wallNow } = options;
  let agents: readonly Recorded[] | undefined;
  let toolServers: readonly Recorded[] = [];
  let conflicts: readonly SlugConflict[] = [];
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
  const earliestChange = ({ resource, entry }: Recorded): number => {
    const earlier = live?.get(entry.server.name);
    if (earlier === undefined) return deleted.has(entry.server.name) ? wholeSeconds(now()) : 0;
    return isSameResource(earlier.listed.resource, resource) ? earlier.record.updatedAt : wholeSeconds(now());
  };
  const keep = (listed: Recorded): Kept => {
    const { server, _meta } = listed.entry;
    const earlier = live?.get(server.name);
    if (earlier?.listed.resource === listed.resource && earlier.listed.entry === listed.entry) return earlier;
    const updatedAt = Math.max(Date.parse(_meta[officialMetaKey].updatedAt), earliestChange(listed));
    return { listed, record: renderRecord(listed, updatedAt) };
  };

  const renew = (listed: readonly Recorded[]) => {
    const before = live;
    const { first, rest } = firstOfEachName(listed);
    conflicts = rest;
    live = new Map([...first].map(([name, each]) => [name, keep(each)]));
    for (const [name, { listed: gone }] of before ?? []) {
      if (!live.has(name)) deleted.set(name, renderTombstone(gone, wholeSeconds(now())));
    }
    for (const name of live.keys()) deleted.delete(name);
    sorted = undefined;
    forgetOld();
  };

  return {
    conflicts: () => conflicts,
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
      agents = servers.map(({ agent, entry }) => ({ resource: agent, entry }));
      renew([...agents, ...toolServers]);
    },
    updateToolServers(servers) {
      toolServers = servers;
      if (agents !== undefined) renew([...agents, ...toolServers]);
    },
  };
}

const isSameResource = (a: Recorded["resource"], b: Recorded["resource"]): boolean =>
  a.kind === b.kind && resourceKey(a) === resourceKey(b);

/** Agents come first: of one name with a tool server, the agent is listed. */
function firstOfEachName(listed: readonly Recorded[]): { first: Map<string, Recorded>; rest: SlugConflict[] } {
  const first = new Map<string, Recorded>();
  const rest: SlugConflict[] = [];
  for (const each of listed) {
    const { name } = each.entry.server;
    const holder = first.get(name);
    if (holder === undefined) first.set(name, each);
    else rest.push({ slug: name, kept: describe(holder), leftOut: describe(each) });
  }
  return { first, rest };
}

const describe = ({ resource }: Recorded): string => `${resource.kind} ${resourceKey(resource)}`;
const wholeSeconds = (time: number): number => Math.floor(time / 1_000) * 1_000;
const byName = (a: ServerRecord, b: ServerRecord): number => (a.name < b.name ? -1 : 1);

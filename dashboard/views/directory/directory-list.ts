// Which entries of the directory are shown: by words, by liveness, by kind; and how alive an entry is, of whose endpoints some may live and
// others not. Pure.
import { livenesses, type Liveness, type ShownEntry } from "../../data/directory.ts";

export const facets = ["all", ...livenesses] as const;
export type LivenessFacet = (typeof facets)[number];
export const readFacet = (text: string | undefined): LivenessFacet => facets.find((each) => each === text) ?? "all";

export const kinds = ["registration", "agent", "server"] as const;
export type EntryKind = (typeof kinds)[number];
export const readKind = (text: string | undefined): EntryKind | undefined => kinds.find((each) => each === text);

/** As alive as the most alive of its endpoints: it can be reached there. Without any it is dead. */
export const livenessOf = ({ endpoints }: Pick<ShownEntry, "endpoints">): Liveness =>
  livenesses.find((each) => endpoints.some(({ liveness }) => liveness === each)) ?? "dead";

export const renderLabels = ({ labels }: Pick<ShownEntry, "labels">): string[] =>
  Object.entries(labels).map(([name, value]) => (value === "" ? name : `${name}=${value}`));

function hasWords(entry: ShownEntry, words: readonly string[]): boolean {
  const { name, description, ownerId, capabilities, endpoints } = entry;
  const text = [
    ...[name, description, ownerId, ...renderLabels(entry)],
    ...capabilities.flatMap((each) => [each.name, each.description, ...each.tags]),
    ...endpoints.map(({ address }) => address),
  ]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

export interface DirectoryFilter {
  readonly query: string;
  readonly facet: LivenessFacet;
  readonly kind: EntryKind | undefined;
}

/** `found`: those of query and kind, in whatever facet, which the facets count. In the order of names. */
export function listEntries(entries: readonly ShownEntry[], { query, facet, kind }: DirectoryFilter) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => (kind === undefined || entry.kind === kind) && hasWords(entry, words));
  const rows = found
    .filter((entry) => facet === "all" || livenessOf(entry) === facet)
    .toSorted((a, b) => a.name.localeCompare(b.name, "en") || (a.id < b.id ? -1 : 1));
  return { found, rows };
}

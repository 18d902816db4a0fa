// Several sources' lists as one: each server once a source, in its highest version, and the sources by turns. Pure.
import type { Listing } from "./listing.ts";
import { compareVersions } from "./versions.ts";

/** In the order of their first appearance. */
export function uniqueByName(listings: readonly Listing[]): Listing[] {
  const byName = new Map<string, Listing>();
  for (const listing of listings) {
    const known = byName.get(listing.name);
    if (known === undefined || compareVersions(listing.version, known.version) > 0) byName.set(listing.name, listing);
  }
  return [...byName.values()];
}

/** At most `limit` of all, one of each list after the other; and how many of each that is. */
export function takeByTurns<Item>(
  lists: readonly (readonly Item[])[],
  limit: number,
): { taken: Item[]; counts: number[] } {
  const taken: Item[] = [];
  const counts = lists.map(() => 0);
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let turn = 0; turn < longest; turn += 1) {
    for (const [at, list] of lists.entries()) {
      const item = list[turn];
      if (item === undefined || taken.length >= limit) continue;
      taken.push(item);
      counts[at] = turn + 1;
    }
  }
  return { taken, counts };
}

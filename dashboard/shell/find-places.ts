// What "Go to" offers for what was typed: the closest names first, whatever they are names of. Pure.
export const placeKinds = ["call", "view", "agent", "server", "tool"] as const;
export type PlaceKind = (typeof placeKinds)[number];

export interface Place {
  readonly kind: PlaceKind;
  /** Apart among all places. */
  readonly key: string;
  readonly name: string;
  /** What is said beside the name, and searched after it. */
  readonly about: string;
  readonly href: string;
}

export const maxHits = 12;

/** Nearer is smaller; undefined where a word is nowhere in it. */
function distanceOf({ name, about }: Place, query: string, words: readonly string[]): number | undefined {
  const lower = name.toLowerCase();
  if (lower === query) return 0;
  if (lower.startsWith(query)) return 1;
  const parts = lower.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  if (words.every((word) => lower.includes(word))) return 3;
  const all = `${lower}\n${about.toLowerCase()}`;
  return words.every((word) => all.includes(word)) ? 4 : undefined;
}

/** Without words: what waits, and the views. Of two as near the shorter name, then in the order of kinds. */
export function findPlaces(places: readonly Place[], typed: string): Place[] {
  const query = typed.trim().toLowerCase();
  if (query === "") return places.filter(({ kind }) => kind === "call" || kind === "view").slice(0, maxHits);
  const words = query.split(/\s+/);
  return places
    .flatMap((place) => {
      const distance = distanceOf(place, query, words);
      return distance === undefined ? [] : [{ place, distance }];
    })
    .toSorted(
      (a, b) =>
        a.distance - b.distance ||
        placeKinds.indexOf(a.place.kind) - placeKinds.indexOf(b.place.kind) ||
        a.place.name.length - b.place.name.length ||
        (a.place.name < b.place.name ? -1 : 1),
    )
    .slice(0, maxHits)
    .map(({ place }) => place);
}

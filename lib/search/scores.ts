// What ranking and "did you mean" share: scores by words, who may see what, and the best of many.
import type { Catalogue, Segment } from "./catalogue.ts";
import { shareOf, slotOf } from "./postings.ts";
import type { Accept } from "./searchable.ts";

export interface Candidate {
  readonly segment: Segment;
  readonly at: number;
  readonly slot: number;
  readonly score: number;
}

/** BM25's weight of a term that `having` of `all` tools have. */
function rarity(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

export interface Looked {
  readonly list: { readonly entries: Uint32Array; readonly length: number } | undefined;
  readonly rarity: number;
}

export function lookUp(catalogue: Catalogue, terms: readonly string[]): Looked[] {
  const { slots, version } = catalogue;
  return terms.map((term) => {
    const list = catalogue.terms.lists.get(term);
    return { list, rarity: rarity(slots.live, list?.countLive(slots, version) ?? 0) };
  });
}

export function addWords(looked: readonly Looked[], scores: Float32Array): void {
  for (const { list, rarity: weight } of looked) {
    if (list === undefined) continue;
    const { entries, length } = list;
    for (let at = 0; at < length; at += 1) {
      const posting = entries[at] ?? 0;
      const slot = slotOf(posting);
      scores[slot] = (scores[slot] ?? 0) + weight * shareOf(posting);
    }
  }
}

/** Asks about a tool only when it would matter, and once. */
export function createVerdicts(accept: Accept | undefined, slots: number) {
  if (accept === undefined) return () => true;
  const verdicts = new Uint8Array(slots);
  return (segment: Segment, at: number, slot: number) => {
    let verdict = verdicts[slot];
    if (verdict === 0) {
      verdict = accept(segment.server, segment.tools[at] ?? "") ? 1 : 2;
      verdicts[slot] = verdict;
    }
    return verdict === 1;
  };
}

/** Puts a candidate where it belongs among the best so far, of which at most `limit` stay. */
export function insert(best: Candidate[], candidate: Candidate, limit: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < candidate.score) at -= 1;
  best.splice(at, 0, candidate);
  if (best.length > limit) best.pop();
}

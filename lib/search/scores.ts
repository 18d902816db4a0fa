// What ranking and "did you mean" share: scores by words, who may see what, and the best of many.
import type { Catalogue } from "./catalogue.ts";
import { shareStep, shareStepsOf, slotOf } from "./postings.ts";
import type { PostingList } from "./posting-list.ts";
import type { Accept } from "./searchable.ts";
import type { Slots } from "./slots.ts";

export interface Candidate {
  readonly slot: number;
  readonly score: number;
}

export interface Looked {
  readonly list: PostingList | undefined;
  readonly rarity: number;
}

/** BM25's weight of a term that `having` of `all` tools have. */
export function rarityOf(all: number, having: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

export function lookUp(catalogue: Catalogue, terms: readonly string[]): Looked[] {
  const { slots, version } = catalogue;
  return terms.map((term) => {
    const list = catalogue.terms.lists.get(term);
    return { list, rarity: rarityOf(slots.live, list?.countLive(slots, version) ?? 0) };
  });
}

/** Adds to the place of each slot what its tool has of the terms, rare ones counting more. */
export function addWords(looked: readonly Looked[], scores: Float32Array): void {
  for (const { list, rarity: weight } of looked) {
    if (list === undefined) continue;
    const { entries, length } = list;
    const perStep = weight * shareStep;
    for (let at = 0; at < length; at += 1) {
      const posting = entries[at] ?? 0;
      const slot = slotOf(posting);
      scores[slot] = (scores[slot] ?? 0) + perStep * shareStepsOf(posting);
    }
  }
}

/** Whether a live slot's tool is accepted; asks about a tool only when it would matter, and once. */
export function createVerdicts({ segments, names, states }: Slots, accept: Accept | undefined) {
  if (accept === undefined) return () => true;
  const verdicts = new Uint8Array(states.length);
  return (slot: number) => {
    if (verdicts[slot] === 0) {
      verdicts[slot] = accept(segments[slot]?.server ?? "", names[slot] ?? "") ? 1 : 2;
    }
    return verdicts[slot] === 1;
  };
}

/** Puts a candidate where it belongs among the best so far, of which at most `limit` stay. */
export function insert(best: Candidate[], candidate: Candidate, limit: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < candidate.score) at -= 1;
  best.splice(at, 0, candidate);
  if (best.length > limit) best.pop();
}

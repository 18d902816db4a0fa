// Which tools come first: words by BM25F, meaning by cosine, each in parts of the best accepted tool's, added up (a convex
// combination: it never loses much where one of the two is weak, as ranks added up do). Tools that are not accepted count
// for nothing, neither in the order nor in what is said about how sure it is.
import type { Catalogue, Segment } from "./catalogue.ts";
import type { Evidence } from "./confidence.ts";
import { inName, inServer, placesOf, slotOf } from "./postings.ts";
import { addWords, createVerdicts, insert, lookUp, type Candidate, type Looked } from "./scores.ts";
import type { Accept } from "./searchable.ts";
import { cosine, type Rows } from "./vectors.ts";

export interface RankRequest {
  readonly terms: readonly string[];
  /** The query's vector as row 0, and which rows of a segment it is compared with. */
  readonly meaning: { readonly query: Rows; of(segment: Segment): Rows | undefined } | undefined;
  /** Part of the score that meaning makes up, 0 to 1. */
  readonly semanticWeight: number;
  readonly limit: number;
  readonly accept: Accept | undefined;
}

export interface Ranked {
  readonly segment: Segment;
  readonly at: number;
  readonly evidence: Evidence;
}

/** The best tools first, at most `limit`, with what speaks for each. */
export function rank(catalogue: Catalogue, request: RankRequest): Ranked[] {
  const count = catalogue.slots.states.length;
  const looked = lookUp(catalogue, request.terms);
  const byWords = new Float32Array(count);
  addWords(looked, byWords);
  const byMeaning = new Float32Array(count);
  const accepts = createVerdicts(request.accept, count);
  const { meaning } = request;
  let mostByWords = 0;
  let mostByMeaning = 0;
  for (const segment of catalogue.segments.values()) {
    const rows = meaning?.of(segment);
    for (let at = 0; at < segment.slots.length; at += 1) {
      const slot = segment.slots[at] ?? 0;
      const words = byWords[slot] ?? 0;
      if (words > mostByWords && accepts(segment, at, slot)) mostByWords = words;
      if (meaning === undefined || rows === undefined) continue;
      const likeness = cosine(rows, at, meaning.query);
      byMeaning[slot] = likeness;
      if (likeness > mostByMeaning && accepts(segment, at, slot)) mostByMeaning = likeness;
    }
  }
  const weight = mostByMeaning === 0 ? 0 : request.semanticWeight;
  const perWords = mostByWords === 0 ? 0 : (1 - weight) / mostByWords;
  const perMeaning = weight === 0 ? 0 : weight / mostByMeaning;
  const best: Candidate[] = [];
  const wanted = Math.max(2, request.limit);
  let least = 0;
  for (const segment of catalogue.segments.values()) {
    for (let at = 0; at < segment.slots.length; at += 1) {
      const slot = segment.slots[at] ?? 0;
      const score = (byWords[slot] ?? 0) * perWords + Math.max(0, byMeaning[slot] ?? 0) * perMeaning;
      if (score <= least || !accepts(segment, at, slot)) continue;
      insert(best, { segment, at, slot, score }, wanted);
      if (best.length === wanted) least = best.at(-1)?.score ?? 0;
    }
  }
  const seen = best.map(({ slot }) => ({ words: byWords[slot] ?? 0, meaning: byMeaning[slot] ?? 0 }));
  const covered = cover(looked, best, count);
  const terms = looked.length;
  return best.slice(0, request.limit).map((candidate, place) => {
    const { segment, at, score } = candidate;
    const other = best[place === 0 ? 1 : 0]?.score ?? 0;
    const { coverage = 0, nameCoverage = 0, named = 0 } = covered[place] ?? {};
    const evidence: Evidence = {
      coverage,
      nameCoverage,
      nameShare: named / Math.max(1, segment.nameTerms[at] ?? 0),
      cosine: seen[place]?.meaning ?? 0,
      margin: (score - other) / (best[0]?.score ?? 1),
      firstByWords: mostByWords > 0 && seen[place]?.words === mostByWords,
      firstByMeaning: mostByMeaning > 0 && seen[place]?.meaning === Math.fround(mostByMeaning),
      queryTerms: terms,
    };
    return { segment, at, evidence };
  });
}

/** How much of the query each of a few candidates has, by the rarity of its terms. */
function cover(looked: readonly Looked[], best: readonly Candidate[], slots: number) {
  const places = new Uint8Array(slots);
  for (const [at, { slot }] of best.entries()) places[slot] = at + 1;
  const found = best.map(() => ({ coverage: 0, nameCoverage: 0, named: 0 }));
  const all = looked.reduce((sum, one) => sum + one.rarity, 0);
  for (const { list, rarity: weight } of looked) {
    if (list === undefined) continue;
    for (let at = 0; at < list.length; at += 1) {
      const posting = list.entries[at] ?? 0;
      const place = places[slotOf(posting)] ?? 0;
      const one = place === 0 ? undefined : found[place - 1];
      if (one === undefined) continue;
      one.coverage += weight / all;
      if ((placesOf(posting) & (inName | inServer)) !== 0) one.nameCoverage += weight / all;
      if ((placesOf(posting) & inName) !== 0) one.named += 1;
    }
  }
  return found;
}

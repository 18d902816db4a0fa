// Which tools come first: words by BM25F, meaning by cosine, each in parts of the best accepted tool's, added up (a convex
// combination: it never loses much where one of the two is weak, as ranks added up do). Tools that are not accepted count
// for nothing, neither in the order nor in what is said about how sure it is.
import type { Catalogue } from "./catalogue.ts";
import type { Evidence } from "./confidence.ts";
import { inName, placesOf, slotOf } from "./postings.ts";
import { addWords, createVerdicts, insert, lookUp, rarityOf, type Candidate, type Looked } from "./scores.ts";
import type { Accept } from "./searchable.ts";
import { slotState } from "./slots.ts";
import type { Vectors } from "./vectors.ts";

export interface RankRequest {
  readonly terms: readonly string[];
  readonly meaning:
    | { readonly query: Float32Array; readonly vectors: Vectors; readonly isOutside?: boolean }
    | undefined;
  /** Part of the score that meaning makes up, 0 to 1. */
  readonly semanticWeight: number;
  readonly limit: number;
  readonly accept: Accept | undefined;
}

export interface Ranked {
  readonly server: string;
  readonly tool: string;
  readonly evidence: Evidence;
}

/** The two largest scores of accepted tools; 0 where there are fewer above 0. */
interface Top {
  readonly first: number;
  readonly second: number;
}

/** Scores of every slot. */
interface Scores {
  readonly words: Float32Array;
  readonly meaning: Float32Array;
  readonly topWords: Top;
  readonly topMeaning: Top;
}

/** Others of nearly the same score that are counted, and what nearly is, in parts of the score. */
const maxRivals = 5;
const rivalShare = 0.9;

/** Where vectors come from outside, the best by meaning is among the first so many. */
const meantPlaces = 5;

type IsAccepted = (slot: number) => boolean;

function findTop({ slots }: Catalogue, scores: Float32Array, isAccepted: IsAccepted): Top {
  const { states, end } = slots;
  let first = 0;
  let second = 0;
  for (let slot = 0; slot < end; slot += 1) {
    const score = scores[slot] ?? 0;
    if (score <= second || states[slot] !== slotState.live || !isAccepted(slot)) continue;
    second = Math.min(first, score);
    first = Math.max(first, score);
  }
  return { first, second };
}

/** How far a score is above the best other one; negative below it. */
function leadOf(score: number, { first, second }: Top): number {
  return score - (score === first ? second : first);
}

function score(catalogue: Catalogue, looked: readonly Looked[], request: RankRequest, isAccepted: IsAccepted): Scores {
  const words = new Float32Array(catalogue.slots.states.length);
  const meaning = new Float32Array(words.length);
  addWords(looked, words);
  const { states } = catalogue.slots;
  request.meaning?.vectors.compare(request.meaning.query, { states, cosines: meaning });
  const topMeaning = request.meaning === undefined ? { first: 0, second: 0 } : findTop(catalogue, meaning, isAccepted);
  return { words, meaning, topWords: findTop(catalogue, words, isAccepted), topMeaning };
}

function findBest(
  { slots }: Catalogue,
  { words, meaning, topWords, topMeaning }: Scores,
  request: RankRequest,
  isAccepted: IsAccepted,
): Candidate[] {
  const weight = topMeaning.first === 0 ? 0 : request.semanticWeight;
  const perWords = topWords.first === 0 ? 0 : (1 - weight) / topWords.first;
  const perMeaning = weight === 0 ? 0 : weight / topMeaning.first;
  const { states, end } = slots;
  const best: Candidate[] = [];
  // Those behind it are wanted even where one is asked for: how near they come says how sure it is.
  const wanted = Math.max(1 + maxRivals, request.limit);
  let least = 0;
  for (let slot = 0; slot < end; slot += 1) {
    const total = (words[slot] ?? 0) * perWords + Math.max(0, meaning[slot] ?? 0) * perMeaning;
    if (total <= least || states[slot] !== slotState.live || !isAccepted(slot)) continue;
    insert(best, { slot, score: total }, wanted);
    if (best.length === wanted) least = best.at(-1)?.score ?? 0;
  }
  return best;
}

/**
 * An embedding from outside commonly knows more than the words do: its best tool takes the last of the first places when words
 * alone would keep it from all of them. What comes first stays first.
 */
function keepMeant({ slots }: Catalogue, { meaning, topMeaning }: Scores, best: Candidate[], isAccepted: IsAccepted) {
  if (topMeaning.first === 0) return;
  const { states, end } = slots;
  let slot = 0;
  while (slot < end && !(meaning[slot] === topMeaning.first && states[slot] === slotState.live && isAccepted(slot))) {
    slot += 1;
  }
  const place = best.findIndex((each) => each.slot === slot);
  if (slot === end || (place !== -1 && place < meantPlaces)) return;
  if (place !== -1) best.splice(place, 1);
  best.splice(meantPlaces - 1, 0, { slot, score: best[meantPlaces - 1]?.score ?? 0 });
}

/** How many terms of its name are in the query, of each of a few candidates. */
function countNamed(looked: readonly Looked[], best: readonly Candidate[], slots: number) {
  const places = new Uint8Array(slots);
  for (const [at, { slot }] of best.entries()) places[slot] = at + 1;
  const found = best.map(() => 0);
  for (const { list } of looked) {
    if (list === undefined) continue;
    for (let at = 0; at < list.length; at += 1) {
      const posting = list.entries[at] ?? 0;
      const place = places[slotOf(posting)] ?? 0;
      if (place > 0 && (placesOf(posting) & inName) !== 0) found[place - 1] = (found[place - 1] ?? 0) + 1;
    }
  }
  return found;
}

function compareMeaning({ meaning }: RankRequest, scores: Scores, slot: number, other: number | undefined) {
  if (meaning === undefined || scores.topMeaning.first === 0) return undefined;
  return {
    lead: leadOf(scores.meaning[slot] ?? 0, scores.topMeaning),
    likeness: other === undefined ? 0 : meaning.vectors.likeness(slot, other),
  };
}

/** The best tools first, at most `limit`, with what speaks for each. */
export function rank(catalogue: Catalogue, request: RankRequest): Ranked[] {
  const { slots } = catalogue;
  const isAccepted = createVerdicts(slots, request.accept);
  const looked = lookUp(catalogue, request.terms);
  const scores = score(catalogue, looked, request, isAccepted);
  const best = findBest(catalogue, scores, request, isAccepted);
  if (request.meaning?.isOutside === true) keepMeant(catalogue, scores, best, isAccepted);
  const named = countNamed(looked, best, slots.states.length);
  const rarest = rarityOf(slots.live, 0);
  return best.slice(0, request.limit).map(({ slot, score: own }, place) => {
    const other = best[place === 0 ? 1 : 0];
    const near = best.filter((each) => each.slot !== slot && each.score > own * rivalShare).length;
    const evidence: Evidence = {
      nameShare: (named[place] ?? 0) / Math.max(1, slots.nameTerms[slot] ?? 0),
      rivals: Math.min(maxRivals, near),
      wordsScore: (scores.words[slot] ?? 0) / rarest,
      wordsLead: leadOf(scores.words[slot] ?? 0, scores.topWords) / rarest,
      meaning: compareMeaning(request, scores, slot, other?.slot),
    };
    return { server: slots.segments[slot]?.server ?? "", tool: slots.names[slot] ?? "", evidence };
  });
}

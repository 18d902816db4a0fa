// Which words get a row: those of the training pairs, then the most frequent of general English.
import { isStopWord } from "../stop-words.ts";
import type { SourceVectors } from "./source-vectors.ts";

export interface Vocabulary {
  /** Row of each word. */
  readonly rows: ReadonlyMap<string, number>;
  /** How large a part of running text each row's word is: estimated from both its frequencies. */
  readonly shares: Float64Array;
}

/** A word without a source vector is learned from the pairs alone, when they have it this often. */
const minLearnedCount = 3;
const plainWord = /^(?:[a-z]{2,24}|[0-9]{1,4})$/;
/** By Zipf's law the word of rank n is about 1/n of a language's text, times this. */
const zipf = 0.05;
const zipfShift = 10;

/** `texts` are the words of each training text. */
export function chooseVocabulary(texts: Iterable<readonly string[]>, source: SourceVectors, size: number): Vocabulary {
  const counts = new Map<string, number>();
  let total = 0;
  for (const words of texts) {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    total += words.length;
  }
  const ranks = new Map(source.words.map((word, rank) => [word, rank]));
  const rows = new Map<string, number>();
  const add = (word: string): void => {
    if (rows.size < size && !rows.has(word)) rows.set(word, rows.size);
  };
  const byCount = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  for (const [word, count] of byCount) if (ranks.has(word) || count >= minLearnedCount) add(word);
  for (const word of source.words) if (plainWord.test(word) && !isStopWord(word)) add(word);
  const shares = new Float64Array(rows.size);
  for (const [word, row] of rows) {
    const rank = ranks.get(word);
    const general = rank === undefined ? 0 : zipf / (rank + zipfShift);
    shares[row] = general + (counts.get(word) ?? 0) / total / 2;
  }
  return { rows, shares };
}

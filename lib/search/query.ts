// A request in words into the terms that are looked up.
import { isStopWord } from "./stop-words.ts";
import { toTerm, toWords } from "./tokens.ts";

/** Different terms of a query that are looked up; of a longer one the first. */
const maxQueryTerms = 128;

export interface Query {
  readonly words: readonly string[];
  /** Each once. */
  readonly terms: readonly string[];
}

/** Stop words count only where there is nothing else: a tool may be called `about`. */
export function readQuery(text: string): Query {
  const all = toWords(text);
  const content = all.filter((word) => !isStopWord(word));
  const words = content.length > 0 ? content : all;
  return { words, terms: [...new Set(words.map(toTerm))].slice(0, maxQueryTerms) };
}

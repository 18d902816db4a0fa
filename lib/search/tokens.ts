// Text into words: camelCase, snake_case and digits are split, case and accents dropped, and scripts without spaces cut
// into pairs of characters. The index and the word table must split alike, so this file is the only one that does.
import { isStopWord } from "./stop-words.ts";
import { stem } from "./stem.ts";

/** Characters of a text that are read; the rest is cut off. */
export const maxTextLength = 4_000;
/** Characters of a word; of a longer run, such as encoded data, only the beginning is kept. */
export const maxWordLength = 32;

const asciiWords = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const pairedScripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}";
const paired = new RegExp(`^[${pairedScripts}]`, "u");
const anyWords = new RegExp(
  `[${pairedScripts}ー]+|\\p{Lu}+(?!\\p{Ll})|\\p{Lu}?\\p{Ll}+|(?:(?![${pairedScripts}])[\\p{Lo}\\p{Lm}\\p{Lt}\\p{M}])+|\\p{N}+`,
  "gu",
);

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Full-width and composed forms become plain ones; accents of Latin, Greek and Cyrillic letters go. */
function fold(text: string): string {
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]+/g, "");
  return plain.normalize("NFC").slice(0, maxTextLength);
}

function pushPairs(run: string, into: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) into.push(run);
  for (let at = 1; at < characters.length; at += 1) into.push(`${characters[at - 1]}${characters[at]}`);
}

/**
 * The words of a text in their order, in lower case, stop words included: `getUserByID` is get, user, by, id. At most
 * `maxTextLength` characters are read. Takes time in proportion to that; throws for no text.
 */
export function toWords(text: string): string[] {
  const cut = text.length > maxTextLength ? text.slice(0, maxTextLength) : text;
  if (isAscii(cut)) {
    const found = cut.match(asciiWords) ?? [];
    return found.map((word) => word.slice(0, maxWordLength).toLowerCase());
  }
  const words: string[] = [];
  for (const [run] of fold(cut).matchAll(anyWords)) {
    if (paired.test(run)) pushPairs(run, words);
    else words.push(run.slice(0, maxWordLength).toLowerCase());
  }
  return words;
}

/** The words of a text that say what is meant, in their order: what a word table embeds. */
export function toContentWords(text: string): string[] {
  return toWords(text).filter((word) => !isStopWord(word));
}

const maxKnownStems = 20_000;
const knownStems = new Map<string, string>();

/** The term that stands for a word in the index: its stem. */
export function toTerm(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  // Most words of a catalogue come again and again; when there are too many to keep, begin anew.
  if (knownStems.size >= maxKnownStems) knownStems.clear();
  const term = stem(word);
  knownStems.set(word, term);
  return term;
}

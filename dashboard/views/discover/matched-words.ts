// Which words of a description are words of the question, by their stems, so that people see why a tool was found. The text itself stays as
// it is, character for character. Pure.

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

const word = /[\p{L}\p{N}]+/gu;
const leastChars = 3;
/** They are in every description and say nothing. */
const empty = new Set(
  "the and for with from into that this are was not you your all any can its has have what when which one our how".split(
    " ",
  ),
);
const endings = ["ations", "ation", "ments", "ment", "ings", "ing", "ers", "er", "ed", "es", "s", "e"];

/** What words of one meaning mostly begin with: "transfers" and "transferring" with "transfer". */
export function stemOf(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  let stem = plain.length > 4 && plain.endsWith("ies") ? `${plain.slice(0, -3)}y` : plain;
  for (let before = ""; before !== stem;) {
    before = stem;
    stem = undouble(withoutEnding(stem));
  }
  return stem;
}

function withoutEnding(text: string): string {
  const ending = endings.find((each) => text.endsWith(each) && text.length - each.length >= leastChars);
  return ending === undefined ? text : text.slice(0, -ending.length);
}

/** "transferr", "stopp". */
const undouble = (text: string): string =>
  text.length > leastChars && /([^aeiouls])\1$/.test(text) ? text.slice(0, -1) : text;

const matter = (text: string): boolean => text.length >= leastChars && !empty.has(text.toLowerCase());

export const stemsOf = (question: string): ReadonlySet<string> =>
  new Set((question.match(word) ?? []).filter(matter).map(stemOf));

export function markWords(text: string, stems: ReadonlySet<string>): Piece[] {
  const pieces: { text: string; isMatch: boolean }[] = [];
  const add = (part: string, isMatch: boolean) => {
    const last = pieces.at(-1);
    if (part === "") return;
    if (last?.isMatch === isMatch) last.text += part;
    else pieces.push({ text: part, isMatch });
  };
  let end = 0;
  for (const { 0: found, index } of text.matchAll(word)) {
    add(text.slice(end, index), false);
    add(found, matter(found) && stems.has(stemOf(found)));
    end = index + found.length;
  }
  add(text.slice(end), false);
  return pieces;
}

const maxTold = 12;

/** The words of these texts that are words of the question, each once, as they stand there. */
export function matchedWords(texts: readonly string[], stems: ReadonlySet<string>): string[] {
  const found = texts
    .flatMap((text) => text.match(word) ?? [])
    .filter((each) => matter(each) && stems.has(stemOf(each)));
  return [...new Map(found.map((each) => [stemOf(each), each.toLowerCase()])).values()].slice(0, maxTold);
}

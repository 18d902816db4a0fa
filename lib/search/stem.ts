// English word endings taken off after Porter, "An algorithm for suffix stripping" (1980), with the two departures of his
// own later programs ("logi", "bli"): connects, connected and connection are one term. Words of other scripts stay.
type Rule = readonly [ending: string, replacement: string];

const step2: readonly Rule[] = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["entli", "ent"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["logi", "log"],
  ["bli", "ble"],
  ["eli", "e"],
];
const step3: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const step4: readonly Rule[] = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ion",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "al",
  "er",
  "ic",
  "ou",
].map((ending): Rule => [ending, ""]);

function isVowel(word: string, at: number): boolean {
  const letter = word.charCodeAt(at);
  // a, e, i, o, u; and y after a consonant.
  if (letter === 97 || letter === 101 || letter === 105 || letter === 111 || letter === 117) return true;
  return letter === 121 && at > 0 && !isVowel(word, at - 1);
}

/** How often a vowel is followed by a consonant: Porter's m, roughly the number of syllables. */
function measure(word: string): number {
  let count = 0;
  let vowelBefore = false;
  for (let at = 0; at < word.length; at += 1) {
    const vowel = isVowelAfter(word, at, vowelBefore);
    if (vowelBefore && !vowel) count += 1;
    vowelBefore = vowel;
  }
  return count;
}

/** `isVowel` without a look back, for a caller that knows what the letter before was. */
function isVowelAfter(word: string, at: number, vowelBefore: boolean): boolean {
  return word.charCodeAt(at) === 121 ? at > 0 && !vowelBefore : isVowel(word, at);
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (isVowel(word, at)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && !isVowel(word, last);
}

/** Consonant, vowel, consonant other than w, x and y: an e was likely taken off (hop-, fil-). */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || "wxy".includes(word.charAt(last))) return false;
  return !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

function replaceEnding(
  word: string,
  rules: readonly Rule[],
  allows: (stem: string, ending: string) => boolean,
): string {
  const rule = rules.find(([ending]) => word.endsWith(ending));
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule[0].length);
  return allows(stem, rule[0]) ? stem + rule[1] : word;
}

function takePlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function takePast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((one) => word.endsWith(one));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (!hasVowel(stem)) return word;
  if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) return `${stem}e`;
  if (endsDouble(stem)) return "lsz".includes(stem.charAt(stem.length - 1)) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function tidyEnd(word: string): string {
  let tidied = word;
  if (tidied.endsWith("e")) {
    const stem = tidied.slice(0, -1);
    const syllables = measure(stem);
    if (syllables > 1 || (syllables === 1 && !endsShort(stem))) tidied = stem;
  }
  return tidied.endsWith("ll") && measure(tidied) > 1 ? tidied.slice(0, -1) : tidied;
}

/** The stem of a lower-case word; what is not plain English letters, or has fewer than three, comes back as it is. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let found = takePast(takePlural(word));
  if (found.endsWith("y") && hasVowel(found.slice(0, -1))) found = `${found.slice(0, -1)}i`;
  found = replaceEnding(found, step2, (rest) => measure(rest) > 0);
  found = replaceEnding(found, step3, (rest) => measure(rest) > 0);
  found = replaceEnding(found, step4, (rest, ending) => {
    return measure(rest) > 1 && (ending !== "ion" || rest.endsWith("s") || rest.endsWith("t"));
  });
  return tidyEnd(found);
}

// Host names in a text that are written with letters of several scripts, each with the name that a computer takes it for: "pаypal.com" with
// one Cyrillic letter is xn--pypal-4ve.com. Pure.

export interface DeceptiveHost {
  readonly shown: string;
  readonly punycode: string;
}

/** What a host name could be made of; whether it is one is looked at then, so that a long text takes one pass. */
const run = /[\p{L}\p{M}\p{N}.-]+/gu;
const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Han}/u,
  /\p{Script=Hiragana}|\p{Script=Katakana}/u,
  /\p{Script=Hangul}/u,
];
const maxHosts = 32;
const maxHostChars = 253;

export function findDeceptiveHosts(text: string): DeceptiveHost[] {
  // Nearly every text ends here.
  if (!/[^\0-\u024f]/.test(text)) return [];
  const found = new Map<string, DeceptiveHost>();
  for (const [whole] of text.matchAll(run)) {
    if (found.size >= maxHosts) break;
    if (whole.length > maxHostChars) continue;
    const shown = whole.replace(/^[.-]+/, "").replace(/[.-]+$/, "");
    if (!shown.includes(".") || scripts.filter((script) => script.test(shown)).length < 2) continue;
    const punycode = toPunycode(shown);
    if (punycode !== undefined && punycode !== shown.toLowerCase()) found.set(shown, { shown, punycode });
  }
  return [...found.values()];
}

const toPunycode = (name: string): string | undefined => URL.parse(`http://${name}`)?.hostname;

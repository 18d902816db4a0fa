// Characters that hide or turn text around, found and named, so that a value shows all that is in it: control, zero-width and direction
// characters, odd spaces, and everything else that has no picture of its own. Linear in the text.

export type TextPiece =
  | { readonly kind: "text"; readonly text: string }
  /** `code` as U+202E; `name` in words. */
  | { readonly kind: "hidden"; readonly code: string; readonly name: string };

const names: Readonly<Record<string, string>> = {
  "U+0000": "null",
  "U+0008": "backspace",
  "U+000D": "carriage return",
  "U+001B": "escape",
  "U+007F": "delete",
  "U+00A0": "no-break space",
  "U+00AD": "soft hyphen",
  "U+061C": "Arabic letter mark",
  "U+180E": "Mongolian vowel separator",
  "U+200B": "zero width space",
  "U+200C": "zero width non-joiner",
  "U+200D": "zero width joiner",
  "U+200E": "left-to-right mark",
  "U+200F": "right-to-left mark",
  "U+2028": "line separator",
  "U+2029": "paragraph separator",
  "U+202A": "left-to-right embedding",
  "U+202B": "right-to-left embedding",
  "U+202C": "end of direction",
  "U+202D": "left-to-right override",
  "U+202E": "reverses the reading direction",
  "U+2060": "word joiner",
  "U+2066": "left-to-right isolate",
  "U+2067": "right-to-left isolate",
  "U+2068": "first strong isolate",
  "U+2069": "end of isolate",
  "U+FEFF": "byte order mark",
};

/** Everything but line break and tab that is a control, a format, a separator, private, unassigned or half a character; and variation selectors and fillers. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u3000\u3164\uffa0\p{Variation_Selector}]/u;

const isHidden = (character: string): boolean => character !== "\n" && character !== "\t" && hidden.test(character);

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The text in pieces; without any hidden character one piece, as it is. */
export function findHidden(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let plain = "";
  for (const character of text) {
    if (!isHidden(character)) {
      plain += character;
      continue;
    }
    if (plain !== "") pieces.push({ kind: "text", text: plain });
    plain = "";
    const code = codeOf(character);
    pieces.push({ kind: "hidden", code, name: names[code] ?? "has no picture" });
  }
  if (plain !== "" || pieces.length === 0) pieces.push({ kind: "text", text: plain });
  return pieces;
}

export function hasHidden(text: string): boolean {
  for (const character of text) if (isHidden(character)) return true;
  return false;
}

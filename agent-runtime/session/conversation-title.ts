// What a conversation is called in a list: the first words of its first message, as one line that hides nothing. Pure, and in time
// linear in what it gets; it is given the beginning of a line of a history's file, and never needs the rest.
import { maxTitleChars } from "../../crds/conversations.ts";

/** Whole escapes only, so that a text that is cut off ends before one. A quote that a text holds is escaped, and is none of these. */
const textPattern = /"type":"text","text":"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)/;

/** The title by the beginning of a user message's line; "" where no text is found in it. */
export function renderTitle(lineHead: string): string {
  const written = textPattern.exec(lineHead)?.[1] ?? "";
  const text: unknown = JSON.parse(`"${written}"`);
  return shorten(typeof text === "string" ? text : "");
}

/** No control character, and none that turns the direction of what follows. */
function shorten(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/\p{Bidi_Control}/gu, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= maxTitleChars) return line;
  const cut = line.slice(0, maxTitleChars - 1);
  const atWord = cut.lastIndexOf(" ");
  const words = atWord > maxTitleChars / 2 ? cut.slice(0, atWord) : cut;
  return `${words.replace(/[\uD800-\uDBFF]$/, "").trimEnd()}…`;
}

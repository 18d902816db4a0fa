// Text that somebody decides on, shown so that nothing of it can hide: what a terminal would act upon, what turns the
// direction of writing round and what takes no room is written as its number. Nothing is left out, and nothing is cut.

/** Controls, direction marks, what is not drawn, half characters, and spaces that look like others. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const escapeUnits = (found: string): string =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");

/** On one line; a backslash of the text itself is doubled where an escape could be meant. */
export const visibleLine = (text: string): string =>
  text.replaceAll(/\\(?=u)/g, "\\\\").replaceAll(hidden, escapeUnits);

/** Deeper values are indented no further: what is ten thousand levels deep would be mostly room. */
const maxIndent = 16;

/**
 * A JSON text over several lines, its tokens as they stand: no number is read and written again, no key sorted or dropped.
 * What is hidden in its strings becomes an escape of JSON. Takes time in proportion to the text.
 */
export function visibleJson(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  const indent = () => `\n${"  ".repeat(Math.max(0, Math.min(depth, maxIndent)))}`;
  // Strings, punctuation, and everything else up to the next of these.
  const tokens = json.match(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^"{}[\],:\s]+/gsu) ?? [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      depth += 1;
      parts.push(token, next === "}" || next === "]" ? "" : indent());
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = tokens[at - 1];
      parts.push(before === "{" || before === "[" ? "" : indent(), token);
    } else if (token === ",") {
      parts.push(token, indent());
    } else {
      parts.push(token === ":" ? ": " : token.replaceAll(hidden, escapeUnits));
    }
  }
  return parts.join("");
}

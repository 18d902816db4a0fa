// How alike two names are: Dice's coefficient over their three-letter pieces (Dice 1945). Case and the way words are
// joined do not count, so that `listIssues` and `list_issues` are one name.
import { toWords } from "./tokens.ts";

/** Characters of a name that are read. */
export const maxNameLength = 256;

/** The pieces of a name, each once. */
export function toTrigrams(name: string): Set<string> {
  const pieces = new Set<string>();
  const text = `  ${toWords(name.slice(0, maxNameLength)).join(" ")} `;
  for (let at = 0; at + 3 <= text.length; at += 1) pieces.add(text.slice(at, at + 3));
  return pieces;
}

/** 1 for the same pieces, 0 for none in common. */
export function dice(inCommon: number, left: number, right: number): number {
  return left + right === 0 ? 0 : (2 * inCommon) / (left + right);
}

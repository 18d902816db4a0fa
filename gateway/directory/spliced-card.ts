// A server card as it was submitted, with what the directory says of it: `id` and `isLive` are spliced into the text, and every other
// byte of it stays (DIR-4). Where a card brings keys of these names, at its outermost level, their values are replaced.
import { findMembers } from "./json-members.ts";

export interface CardFacts {
  readonly id: string;
  readonly isLive: boolean;
}

export type SplicedCard = (facts: CardFacts) => string;

const spliced = ["id", "isLive"] as const;
type SplicedKey = (typeof spliced)[number];
const isSpliced = (key: string): key is SplicedKey => spliced.some((each) => each === key);

/** Reads the text once, so that each answer costs no more than its length. The text has been parsed and is an object. */
export function createSplicedCard(text: string): SplicedCard {
  const members = findMembers(text);
  const own = members.flatMap(({ key, start, end }) => (isSpliced(key) ? [{ key, start, end }] : []));
  const missing = spliced.filter((key) => own.every((member) => member.key !== key));
  const lastEnd = members.at(-1)?.end ?? text.indexOf("{") + 1;
  return (facts) => {
    const parts: string[] = [];
    let at = 0;
    for (const { key, start, end } of own) {
      parts.push(text.slice(at, start), JSON.stringify(facts[key]));
      at = end;
    }
    parts.push(text.slice(at, lastEnd));
    for (const [position, key] of missing.entries()) {
      const separator = position === 0 && members.length === 0 ? "" : ",";
      parts.push(`${separator}"${key}":${JSON.stringify(facts[key])}`);
    }
    parts.push(text.slice(lastEnd));
    return parts.join("");
  };
}

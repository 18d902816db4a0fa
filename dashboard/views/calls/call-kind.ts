// What kind of call an entry of the log is, in a word, and where the tester has the like of it; a kind that this page does not know by its
// own name, and nowhere. Pure.
import { callWords } from "../../words/calls.ts";

const known = new Map<string, string>(Object.entries(callWords.kinds));
export const tellCallKind = (kind: string): string => known.get(kind) ?? kind;

const testerParts = new Map([
  ["call", "tools"],
  ["resource-read", "resources"],
  ["prompt-get", "prompts"],
]);
export const testerPartOf = (kind: string): string | undefined => testerParts.get(kind);

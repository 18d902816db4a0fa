// What kind of call an entry of the log is, in a word; a kind that this page does not know by its own name. Pure.
import { callWords } from "../../words/calls.ts";

const known = new Map<string, string>(Object.entries(callWords.kinds));
export const tellCallKind = (kind: string): string => known.get(kind) ?? kind;

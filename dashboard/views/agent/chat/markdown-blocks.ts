// Markdown's blocks of a text that grows: what is followed by another block is not read again. Text that is no continuation of the one before is
// read from its beginning. Pure.
import { lexer, type Token } from "marked";

export interface ReadBlocks {
  /** With line breaks as markdown has them. */
  readonly text: string;
  /** That may not change any more; the same values as before. */
  readonly done: readonly Token[];
  /** Of `text`, where what is not done begins. */
  readonly doneChars: number;
  /** May go on. */
  readonly open: readonly Token[];
}

export const noBlocks: ReadBlocks = { text: "", done: [], doneChars: 0, open: [] };

/** Throws what marked throws: a RangeError for a text that is nested without end. */
export function readBlocks(before: ReadBlocks, given: string): ReadBlocks {
  const text = given.replace(/\r\n?/g, "\n");
  const { done, doneChars } = text.startsWith(before.text) ? before : noBlocks;
  const tokens = lexer(text.slice(doneChars));
  // Blank lines after a list do not end it: what comes next may belong to it.
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const ended = tokens.slice(0, Math.max(0, last));
  const endedChars = ended.reduce((sum, { raw }) => sum + raw.length, 0);
  const isExact = ended.map(({ raw }) => raw).join("") === text.slice(doneChars, doneChars + endedChars);
  if (!isExact) return { text, done, doneChars, open: tokens };
  return {
    text,
    done: ended.length === 0 ? done : [...done, ...ended],
    doneChars: doneChars + endedChars,
    open: tokens.slice(ended.length),
  };
}

// What servers write to standard error: their log, which is kept and logged within limits and never read for meaning. Values of
// secrets that a process was given are replaced, control characters taken out, and lines that come too fast or are too long cut.
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createLineReader, type LineReader } from "./line-reader.ts";
import { createShowText } from "./shown-text.ts";

export interface ErrorLog {
  /** Reads one process's standard error, in which these values must not be seen. */
  open(secrets: readonly string[]): LineReader;
  /** The last lines of all processes, oldest first. */
  lines(): readonly string[];
  /** What it returns tells the lines, among those that are kept, which were written from now on. */
  mark(): () => readonly string[];
}

export const errorLogLimits = { maxLines: 200, maxLineChars: 1_000, maxLogged: 100, refillMs: 100 };
/** A longer line is shown by its beginning. */
const maxLineBytes = 16 * 1024;

export function createErrorLog(parts: { log: Logger; clock: Clock; limits?: typeof errorLogLimits }): ErrorLog {
  const { log, clock, limits = errorLogLimits } = parts;
  const kept: string[] = [];
  let written = 0;
  let tokens = limits.maxLogged;
  let refilledAt = clock.now();
  let unlogged = 0;

  const mayLog = () => {
    const now = clock.now();
    const refill = Math.floor((now - refilledAt) / limits.refillMs);
    if (refill > 0) {
      tokens = Math.min(limits.maxLogged, tokens + refill);
      refilledAt += refill * limits.refillMs;
    }
    if (tokens === 0) return false;
    tokens -= 1;
    return true;
  };
  const keep = (line: string) => {
    kept.push(line);
    written += 1;
    if (kept.length > limits.maxLines) kept.shift();
    if (!mayLog()) {
      unlogged += 1;
      return;
    }
    log.info({ line, ...(unlogged > 0 && { leftOut: unlogged }) }, "server wrote to standard error");
    unlogged = 0;
  };
  return {
    open(secrets) {
      const show = createShowText(secrets);
      const read = (text: string, isCut?: boolean) => {
        const line = show(text, isCut);
        if (line === "") return;
        keep(line.length > limits.maxLineChars ? `${line.slice(0, limits.maxLineChars)}…` : line);
      };
      return createLineReader({ maxLineBytes, onLine: (line) => read(line), onLong: ({ head }) => read(head, true) });
    },
    lines: () => kept,
    mark() {
      const before = written;
      return () => kept.slice(Math.max(0, kept.length - (written - before)));
    },
  };
}

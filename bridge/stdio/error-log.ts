// What servers write to standard error: their log, which is kept and logged within limits and never read for meaning. Values of
// secrets that a process was given are replaced, control characters taken out, and lines that come too fast or are too long cut.
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createLineReader, type LineReader } from "./line-reader.ts";

export interface ErrorLog {
  /** Reads one process's standard error, in which these values must not be seen. */
  open(secrets: readonly string[]): LineReader;
  /** The last lines of all processes, oldest first. */
  lines(): readonly string[];
  last(): string | undefined;
}

export const errorLogLimits = { maxLines: 200, maxLineChars: 1_000, maxLogged: 100, refillMs: 100 };
/** A longer line is shown by its beginning. */
const maxLineBytes = 16 * 1024;
const minSecretChars = 4;

export function createErrorLog(parts: { log: Logger; clock: Clock; limits?: typeof errorLogLimits }): ErrorLog {
  const { log, clock, limits = errorLogLimits } = parts;
  const kept: string[] = [];
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
      const redact = createRedaction(secrets);
      const read = (text: string) => {
        const line = redact(text.slice(0, maxLineBytes))
          .replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, " ")
          .trim();
        if (line === "") return;
        keep(line.length > limits.maxLineChars ? `${line.slice(0, limits.maxLineChars)}…` : line);
      };
      // Cut before it is redacted, a secret over the cut would be seen in part: of a long line nothing near its end is shown.
      return createLineReader({ maxLineBytes, onLine: read, onLong: ({ head }) => read(cutWithin(head, secrets)) });
    },
    lines: () => kept,
    last: () => kept.at(-1),
  };
}

function cutWithin(head: string, secrets: readonly string[]): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  return `${head.slice(0, Math.max(0, head.length - longest))}…`;
}

/** Replaces each value wherever it stands; a very short one would make the text unreadable and is no secret. */
function createRedaction(secrets: readonly string[]): (text: string) => string {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split("\n")])
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= minSecretChars)
    .toSorted((a, b) => b.length - a.length);
  return (text) => values.reduce((left, value) => left.replaceAll(value, "[redacted]"), text);
}

// A table of tokens in a file: a line `sha256:<64 hex digits>` each, with an optional RFC 3339 time at which it ends. Blank lines
// and those that begin with # count for nothing. The file may come, change and go, as a projected volume of an optional Secret
// does: it is read as it is asked for, at most once a second. No token is kept, and none may be short: a hash hides only what
// nobody guesses. What is over a limit or cannot be read lets nobody in.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import type { Clock } from "../process/clock.ts";
import { defined } from "../process/defined.ts";
import type { Logger } from "../process/log.ts";

export const tableLimits = { maxFileBytes: 256 * 1024, maxLines: 1_024 } as const;
const freshMs = 1_000;
const maxShownLines = 10;

export interface TokenEntry {
  digest: Buffer;
  /** By the wall clock; absent: never. */
  expiresAtMs?: number;
}

export type TableVerdict =
  /** `id` tells the table's tokens apart, from one reading of the file to the next. */
  | { kind: "listed"; id: string; expiresAtMs?: number }
  | { kind: "unknown" }
  | { kind: "refused"; why: string }
  | { kind: "unavailable"; why: string };

export interface TokenTable {
  /** As entries of `access` name it. */
  readonly name: string;
  /** Never rejects. */
  judge(token: string): Promise<TableVerdict>;
  /** What is wrong with the file, as of when it was last read; undefined when all is well, or there is none. */
  observeTrouble(): string | undefined;
}

/** Reads nothing yet. */
export function createTokenTable(options: { name: string; path: string; clock: Clock; log: Logger }): TokenTable {
  const { name, path, clock, log } = options;
  let entries: readonly TokenEntry[] | undefined = [];
  let trouble: string | undefined;
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const startedAt = clock.now();
    const before = trouble;
    try {
      const { entries: found, badLines } = parseTokenLines(await readBounded(path));
      entries = found;
      trouble = badLines.length === 0 ? undefined : renderBadLines(name, badLines);
    } catch (error) {
      entries = isMissing(error) ? [] : undefined;
      trouble = isMissing(error) ? undefined : `token table ${name}: ${renderReadProblem(error)}`;
    }
    if (trouble !== undefined && trouble !== before) log.warn({ table: name, trouble }, "token table has faults");
    readAt = startedAt;
    reading = undefined;
  };
  return {
    name,
    async judge(token) {
      if (clock.now() - readAt >= freshMs) await (reading ??= read());
      if (entries === undefined) return { kind: "unavailable", why: trouble ?? "not read yet" };
      return judgeDigest(createHash("sha256").update(token).digest(), entries, clock.wallNow());
    },
    observeTrouble: () => trouble,
  };
}

/** Compares with every entry, so that the time tells nothing of which it is. */
function judgeDigest(digest: Buffer, entries: readonly TokenEntry[], wallNowMs: number): TableVerdict {
  const same = entries.filter((entry) => timingSafeEqual(entry.digest, digest));
  if (same.length === 0) return { kind: "unknown" };
  const valid = same.find(({ expiresAtMs }) => expiresAtMs === undefined || wallNowMs < expiresAtMs);
  if (valid === undefined) return { kind: "refused", why: "the token has expired" };
  const id = digest.toString("hex").slice(0, 12);
  return { kind: "listed", id, ...defined({ expiresAtMs: valid.expiresAtMs }) };
}

const time = z.iso.datetime({ offset: true });

/** The lines that are good, and the numbers of those that are not. Throws where there are more than the limit. */
export function parseTokenLines(text: string): { entries: TokenEntry[]; badLines: number[] } {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > tableLimits.maxLines) {
    throw new Error(`expected at most ${tableLimits.maxLines} lines, found ${lines.length}: use several tables`);
  }
  const entries: TokenEntry[] = [];
  const badLines: number[] = [];
  for (const [at, line] of lines.entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const entry = parseTokenLine(trimmed);
    if (entry === undefined) badLines.push(at + 1);
    else entries.push(entry);
  }
  return { entries, badLines };
}

function parseTokenLine(line: string): TokenEntry | undefined {
  const [hash = "", expiry, ...rest] = line.split(/[ \t]+/, 3);
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(hash)?.[1];
  if (hex === undefined || rest.length > 0) return undefined;
  const digest = Buffer.from(hex, "hex");
  if (expiry === undefined) return { digest };
  return time.safeParse(expiry).success ? { digest, expiresAtMs: Date.parse(expiry) } : undefined;
}

async function readBounded(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error("expected a file");
  if (found.size > tableLimits.maxFileBytes) {
    throw new Error(`expected at most ${tableLimits.maxFileBytes} bytes, found ${found.size}: use several tables`);
  }
  return await readFile(path, "utf8");
}

function renderBadLines(table: string, badLines: readonly number[]): string {
  const shown = badLines.slice(0, maxShownLines).join(", ");
  const more = badLines.length > maxShownLines ? ` and ${badLines.length - maxShownLines} more` : "";
  return `token table ${table}: expected sha256:<64 hex digits> and an optional RFC 3339 time, found something else in line ${shown}${more}`;
}

const codeOf = (error: unknown): unknown => (error instanceof Error ? Reflect.get(error, "code") : undefined);
const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));

function renderReadProblem(error: unknown): string {
  const code = codeOf(error);
  return typeof code === "string" ? `the file cannot be read (${code})` : error instanceof Error ? error.message : "";
}

// Pages of the lists that a server answers with: a long one comes in parts, each with a cursor that the client sends back. A
// cursor names the last entry of its page, so that pages fit together while entries before it come and go; no page is kept.
import { JsonRpcError, rpcCodes } from "./json-rpc.ts";

/** Most clients never meet a second page, and some do not ask for one. */
export const maxPageEntries = 1_000;

export interface Page<T> {
  entries: readonly T[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** The page that `cursor` asks for, the first without one. Throws a JsonRpcError when no entry is what the cursor names. */
export function cutPage<T>(all: readonly T[], keyOf: (entry: T) => string, cursor: string | undefined): Page<T> {
  const start = cursor === undefined ? 0 : findStart(all, keyOf, cursor);
  if (start === 0 && all.length <= maxPageEntries) return { entries: all };
  const entries = all.slice(start, start + maxPageEntries);
  const last = entries.at(-1);
  const isLast = last === undefined || start + entries.length >= all.length;
  return isLast ? { entries } : { entries, nextCursor: Buffer.from(keyOf(last)).toString("base64url") };
}

function findStart<T>(all: readonly T[], keyOf: (entry: T) => string, cursor: string): number {
  const key = Buffer.from(cursor, "base64url").toString();
  const at = all.findIndex((entry) => keyOf(entry) === key);
  if (at !== -1) return at + 1;
  const text = "Invalid cursor: it is not from this list, or the list has changed; ask again without a cursor";
  throw new JsonRpcError(rpcCodes.invalidParams, text);
}

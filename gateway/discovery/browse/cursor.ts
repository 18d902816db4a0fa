// The cursor of browse: where each source goes on, and the query that it is of. Whoever brings one may have written it: it holds nothing but
// places in lists, which each source judges again. Pure.
import * as z from "zod";

/** Of one source's own cursor. A longer one ends that source's list. */
export const maxSourceCursorChars = 512;
const maxCursorChars = 4_096;
export const maxQueryChars = 200;

const place = z.object({
  /** The source's own cursor of the page; absent: its first. */
  at: z.string().max(maxSourceCursorChars).exactOptional(),
  /** How many of that page's servers were given already. */
  skip: z.int().min(0).max(100),
});
export type Place = z.output<typeof place>;

const schema = z.object({ query: z.string().max(maxQueryChars), places: z.record(z.string().max(63), place) });

export interface Cursor {
  readonly query: string;
  /** By names of sources: those whose lists go on. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Null where nothing goes on. Where not all places fit, the lists with the longest end. */
export function renderCursor({ query, places }: Cursor): string | null {
  const shortestFirst = [...places].toSorted(([, a], [, b]) => (a.at?.length ?? 0) - (b.at?.length ?? 0));
  for (let count = shortestFirst.length; count > 0; count -= 1) {
    const kept = Object.fromEntries(shortestFirst.slice(0, count));
    const text = Buffer.from(JSON.stringify({ query, places: kept })).toString("base64url");
    if (text.length <= maxCursorChars) return text;
  }
  return null;
}

/** Undefined for what is no cursor of ours. */
export function parseCursor(text: string): Cursor | undefined {
  if (text.length > maxCursorChars || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return undefined;
  const { query, places } = parsed.data;
  return { query, places: new Map(Object.entries(places)) };
}

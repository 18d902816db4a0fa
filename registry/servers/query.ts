// What a client may ask of the list of servers, and the cursor that carries it on (CAT-10). The cursor holds the whole
// question, since there are clients that do not repeat it on the next page; it has only letters that survive in a URL
// as they are, since there are clients that do not encode it.
import * as z from "zod";
import { timeSchema } from "../../crds/catalogue.ts";
import { digest } from "../../lib/process/entity-tag.ts";

const limitDefault = 30;
const limitMax = 100;
const maxSearchChars = 200;
const maxVersionChars = 255;
const maxCursorChars = 6_000;
const checksumChars = 8;

const querySchema = z.object({
  limit: z.number().int().min(1).max(limitMax),
  /** Lower case. */
  search: z.string().max(maxSearchChars).exactOptional(),
  /** Milliseconds since 1970. */
  updatedSince: z.number().exactOptional(),
  /** Absent: the latest, which is the only one. */
  version: z.string().max(maxVersionChars).exactOptional(),
  includeDeleted: z.boolean(),
  /** Name of the last server of the page before. */
  after: z.string().exactOptional(),
});
export type ServerQuery = z.output<typeof querySchema>;

/** `message` says what was expected. */
export type ParsedQuery = { ok: true; query: ServerQuery } | { ok: false; message: string };

/** What a client may give, and what it comes to: the parameters of /openapi.json. Empty ones count as absent. */
export const serverParameters = z.object({
  cursor: z
    .string()
    .exactOptional()
    .describe(
      "nextCursor of the page before. It contains the whole query; of the other parameters only limit is read with it.",
    ),
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(limitMax))
    .exactOptional()
    .meta({ description: "Most servers of a page.", default: limitDefault }),
  search: z.string().max(maxSearchChars).exactOptional().describe("Part of name, title or description, in any case."),
  updated_since: timeSchema
    .exactOptional()
    .describe("Those that changed at this time or later, deleted ones included."),
  version: z.string().max(maxVersionChars).exactOptional().describe("latest, or a version."),
  include_deleted: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .pipe(z.boolean())
    .exactOptional()
    .describe("Also those that were deleted since the registry started."),
});

const expected: Readonly<Record<string, string>> = {
  limit: `limit must be a whole number from 1 to ${limitMax}`,
  search: `search must have at most ${maxSearchChars} characters`,
  updated_since: "updated_since must be a time of RFC 3339, as 2026-01-31T12:00:00Z",
  version: `version must be "latest" or a version of at most ${maxVersionChars} characters`,
  include_deleted: "include_deleted must be true or false",
};

/** With a cursor its question counts, and of the parameters only the limit. */
export function parseServerQuery(parameters: Readonly<Record<string, string>>): ParsedQuery {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const parsed = serverParameters.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]);
    return { ok: false, message: expected[name] ?? "the query is malformed" };
  }
  const { cursor, limit, search, updated_since: updatedSince, version, include_deleted: includeDeleted } = parsed.data;
  if (cursor !== undefined) {
    const query = parseCursor(cursor);
    if (query === undefined) return { ok: false, message: "cursor must be a nextCursor of this registry, unchanged" };
    return { ok: true, query: limit === undefined ? query : { ...query, limit } };
  }
  return {
    ok: true,
    query: {
      limit: limit ?? limitDefault,
      ...(search === undefined ? {} : { search: search.toLowerCase() }),
      ...(updatedSince === undefined ? {} : { updatedSince: Date.parse(updatedSince) }),
      ...(version === undefined || version === "latest" ? {} : { version }),
      // Who asks for changes wants to hear what went.
      includeDeleted: includeDeleted === true || updatedSince !== undefined,
    },
  };
}

/** Every replica reads it; it holds nothing secret, and the checksum is against damage, not against malice. */
export function renderCursor(query: ServerQuery): string {
  const text = JSON.stringify(query);
  return Buffer.from(`${checksum(text)}${text}`).toString("base64url");
}

function parseCursor(cursor: string): ServerQuery | undefined {
  if (cursor.length > maxCursorChars) return undefined;
  const decoded = Buffer.from(cursor, "base64url").toString("utf8");
  const text = decoded.slice(checksumChars);
  // Decoding passes over what is not base64url; only the one spelling counts.
  if (Buffer.from(decoded).toString("base64url") !== cursor || checksum(text) !== decoded.slice(0, checksumChars)) {
    return undefined;
  }
  try {
    return querySchema.safeParse(JSON.parse(text)).data;
  } catch {
    // Whoever makes a checksum of its own may have anything under it.
    return undefined;
  }
}

const checksum = (text: string): string => digest(`cursor ${text}`).slice(0, checksumChars);

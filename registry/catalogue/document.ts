// Documents as they are served from memory: their bytes, plain and compressed, each with an ETag and headers of its own
// (CAT-8); and the text of the catalogue.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import * as z from "zod";
import { catalogueEntrySchema, timeSchema } from "../../crds/catalogue.ts";
import type { Encoding } from "../../lib/process/content-encoding.ts";
import { digest } from "../../lib/process/entity-tag.ts";

/** Under this key beside "servers", and only while the registry cannot hear of changes. */
const registryMetaKey = "ca.helu.pallas/registry";

export interface ServedAs {
  readonly contentType: string;
  readonly cacheControl: string;
}

export interface Representation {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Strong, quotes included. */
  readonly etag: string;
  /** Of an answer with the body, and of one to who has it. */
  readonly headers: Readonly<Record<200 | 304, Readonly<Record<string, string>>>>;
}
/** Compressed forms are there a moment later than the plain one. */
export type EncodedDocument = Readonly<{ identity: Representation } & Partial<Record<Encoding, Representation>>>;

export const catalogueSchema = z.object({
  servers: z.array(catalogueEntrySchema),
  _meta: z.object({ [registryMetaKey]: z.object({ staleSince: timeSchema }) }).exactOptional(),
});

/** `staleSince` (milliseconds since 1970): the entries are as of then; undefined while they are up to date. */
export function renderDocument(servers: readonly { text: string }[], staleSince: number | undefined): string {
  const meta = {
    [registryMetaKey]: { staleSince: new Date(staleSince ?? 0).toISOString() },
  };
  const tail = staleSince === undefined ? "" : `,"_meta":${JSON.stringify(meta)}`;
  return `{"servers":[${servers.map(({ text }) => text).join(",")}]${tail}}`;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
// Beyond this level brotli costs many times more for a few per cent.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export function encodePlain(text: string, as: ServedAs): EncodedDocument {
  const body = new TextEncoder().encode(text);
  return { identity: represent("identity", body, digest(body), as) };
}

/** The same with its compressed forms, which the thread pool makes. */
export async function encodeCompressed({ identity }: EncodedDocument, as: ServedAs): Promise<EncodedDocument> {
  const { body, etag } = identity;
  const hash = etag.slice(1, -1);
  const [gzipped, brotli] = await Promise.all([compressGzip(body), compressBrotli(body, brotliOptions)]);
  return {
    identity,
    gzip: represent("gzip", new Uint8Array(gzipped), hash, as),
    br: represent("br", new Uint8Array(brotli), hash, as),
  };
}

function represent(
  encoding: Encoding,
  body: Uint8Array<ArrayBuffer>,
  hash: string,
  { contentType, cacheControl }: ServedAs,
): Representation {
  const etag = encoding === "identity" ? `"${hash}"` : `"${hash}-${encoding}"`;
  const always = { ETag: etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
  const full = {
    ...always,
    "Content-Type": contentType,
    "Content-Length": String(body.byteLength),
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
  };
  return { body, etag, headers: { 200: full, 304: always } };
}

// Documents as they are served from memory: their bytes, plain and compressed, each with an ETag of its own (CAT-8);
// and the text of the catalogue.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Under this key beside "servers", and only while the registry cannot hear of changes. */
const registryMetaKey = "ca.helu.pallas/registry";

/** In the order of preference where a client likes them equally. */
export const encodings = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof encodings)[number];

export interface Representation {
  body: Uint8Array<ArrayBuffer>;
  /** Strong, quotes included. */
  etag: string;
}
export type EncodedDocument = Readonly<Record<Encoding, Representation>>;

/** `staleSince` (milliseconds since 1970): the entries are as of then; undefined while they are up to date. */
export function renderDocument(servers: readonly { text: string }[], staleSince: number | undefined): string {
  const meta = { [registryMetaKey]: { staleSince: new Date(staleSince ?? 0).toISOString() } };
  const tail = staleSince === undefined ? "" : `,"_meta":${JSON.stringify(meta)}`;
  return `{"servers":[${servers.map(({ text }) => text).join(",")}]${tail}}`;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
// Beyond this level brotli costs many times more for a few per cent; a change must be served within 100 ms.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Short and the same for the same text. */
export const digest = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Compresses on the thread pool. */
export async function encodeDocument(text: string): Promise<EncodedDocument> {
  const plain = new TextEncoder().encode(text);
  const [gzipped, brotli] = await Promise.all([compressGzip(plain), compressBrotli(plain, brotliOptions)]);
  const hash = digest(plain);
  return {
    identity: { body: plain, etag: `"${hash}"` },
    gzip: { body: new Uint8Array(gzipped), etag: `"${hash}-gzip"` },
    br: { body: new Uint8Array(brotli), etag: `"${hash}-br"` },
  };
}

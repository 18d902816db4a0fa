// How a document that is kept in memory is answered: chosen by the request's headers and nothing else, 304 to who has
// it, 503 while there is none yet (CAT-8, CAT-9).
import type { Context } from "hono";
import type { EncodedDocument, Encoding } from "./document.ts";
import { chooseEncoding, matchesEtag } from "./negotiate.ts";

/** What a client waits before it asks again for what is not there yet. */
const retryAfterSeconds = "1";
/** Kept, but asked for again every time. */
export const revalidated = "no-cache";

export interface ServedAs {
  contentType: string;
  cacheControl: string;
}

export interface DocumentAnswer {
  status: 200 | 304;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
}

/** 304 to who has it in this encoding. */
export function chooseAnswer(
  document: EncodedDocument,
  { contentType, cacheControl }: ServedAs,
  { encoding, ifNoneMatch }: { encoding: Encoding; ifNoneMatch: string | undefined },
): DocumentAnswer {
  const { body, etag } = document[encoding];
  const headers: Record<string, string> = { ETag: etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
  if (matchesEtag(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  headers["Content-Type"] = contentType;
  headers["Content-Length"] = String(body.byteLength);
  if (encoding !== "identity") headers["Content-Encoding"] = encoding;
  return { status: 200, headers, body };
}

/** `document` undefined: the resources are not read yet. */
export function serveDocument(c: Context, document: EncodedDocument | undefined, as: ServedAs): Response {
  if (document === undefined) return refuseUnsynced(c);
  const encoding = chooseEncoding(c.req.header("accept-encoding"));
  const { status, headers, body } = chooseAnswer(document, as, {
    encoding,
    ifNoneMatch: c.req.header("if-none-match"),
  });
  return body === null ? c.body(null, status, headers) : c.body(body, 200, headers);
}

/** Never an empty list: a client would take it for all there is. */
export function refuseUnsynced(c: Context): Response {
  const message = "the registry has not read its resources yet; ask again";
  return c.json({ error: "not_synced", message }, 503, {
    "Retry-After": retryAfterSeconds,
    "Cache-Control": "no-store",
  });
}

// How a document that is kept in memory is answered: chosen by the request's headers and nothing else, 304 to who has
// it, 503 while there is none yet (CAT-8, CAT-9).
import type { Context } from "hono";
import { chooseEncoding, type Encoding } from "../../lib/process/content-encoding.ts";
import { matchesEtag } from "../../lib/process/entity-tag.ts";
import type { EncodedDocument } from "./document.ts";

/** What a client waits before it asks again for what is not there yet. */
const retryAfterSeconds = "1";
/** Kept, but asked for again every time. */
export const revalidated = "no-cache";

export interface DocumentAnswer {
  status: 200 | 304;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array<ArrayBuffer> | null;
}

/** 304 to who has it in this encoding; plain where the compressed form is not there yet. */
export function chooseAnswer(
  document: EncodedDocument,
  encoding: Encoding,
  ifNoneMatch: string | undefined,
): DocumentAnswer {
  const { body, etag, headers } = document[encoding] ?? document.identity;
  return matchesEtag(ifNoneMatch, etag)
    ? { status: 304, headers: headers[304], body: null }
    : { status: 200, headers: headers[200], body };
}

/** `document` undefined: the resources are not read yet. */
export function serveDocument(c: Context, document: EncodedDocument | undefined): Response {
  if (document === undefined) return refuseUnsynced(c);
  const encoding = chooseEncoding(c.req.header("accept-encoding"));
  const { status, headers, body } = chooseAnswer(document, encoding, c.req.header("if-none-match"));
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

// How a document that is kept in memory is answered: chosen by the request's headers and nothing else, 304 to who has
// it, 503 while there is none yet (CAT-8, CAT-9).
import type { Context } from "hono";
import type { EncodedDocument } from "./document.ts";
import { chooseEncoding, matchesEtag } from "./negotiate.ts";

/** What a client waits before it asks again for what is not there yet. */
const retryAfterSeconds = "1";
/** Kept, but asked for again every time. */
export const revalidated = "no-cache";

export interface ServedAs {
  contentType: string;
  cacheControl: string;
}

/** `document` undefined: the resources are not read yet. */
export function serveDocument(c: Context, document: EncodedDocument | undefined, as: ServedAs): Response {
  if (document === undefined) return refuseUnsynced(c);
  const encoding = chooseEncoding(c.req.header("accept-encoding"));
  const { body, etag } = document[encoding];
  const headers = { ETag: etag, "Cache-Control": as.cacheControl, Vary: "Accept-Encoding" };
  if (matchesEtag(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  return c.body(body, 200, {
    ...headers,
    "Content-Type": as.contentType,
    "Content-Length": String(body.byteLength),
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
  });
}

/** Never an empty list: a client would take it for all there is. */
export function refuseUnsynced(c: Context): Response {
  const message = "the registry has not read its resources yet; ask again";
  return c.json({ error: "not_synced", message }, 503, {
    "Retry-After": retryAfterSeconds,
    "Cache-Control": "no-store",
  });
}

// GET /.well-known/mcp/server.json (CAT-1): bytes from memory, chosen by the request's headers and nothing else.
import { Hono } from "hono";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { Surface } from "../surface.ts";
import type { EncodedDocument } from "./document.ts";
import { chooseEncoding, matchesEtag } from "./negotiate.ts";

/** What a client waits before it asks again for a catalogue that is not there yet. */
const retryAfterSeconds = "1";

/** `current` gives the published document; undefined before the first sync is 503, never an empty list (CAT-9). */
export function catalogueSurface(current: () => EncodedDocument | undefined): Surface {
  const app = new Hono();
  app.get(cataloguePath, (c) => {
    const document = current();
    if (document === undefined) {
      const message = "the registry has not read its resources yet; ask again";
      return c.json({ error: "not_synced", message }, 503, {
        "Retry-After": retryAfterSeconds,
        "Cache-Control": "no-store",
      });
    }
    const encoding = chooseEncoding(c.req.header("accept-encoding"));
    const { body, etag } = document[encoding];
    // no-cache: kept, but asked for again every time.
    const headers = { ETag: etag, "Cache-Control": "no-cache", Vary: "Accept-Encoding" };
    if (matchesEtag(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    return c.body(body, 200, {
      ...headers,
      "Content-Type": "application/json",
      "Content-Length": String(body.byteLength),
      ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    });
  });
  return { app, isPublicRead: (path) => path === cataloguePath };
}

// GET /.well-known/mcp/server.json (CAT-1): bytes from memory.
import { Hono } from "hono";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { Surface } from "../surface.ts";
import type { EncodedDocument } from "./document.ts";
import { revalidated, serveDocument } from "./serve-document.ts";

/** `current` gives the published document; undefined before the first sync is 503, never an empty list (CAT-9). */
export function catalogueSurface(current: () => EncodedDocument | undefined): Surface {
  const app = new Hono();
  app.get(cataloguePath, (c) =>
    serveDocument(c, current(), { contentType: "application/json", cacheControl: revalidated }),
  );
  return { app, isPublicRead: (path) => path === cataloguePath };
}

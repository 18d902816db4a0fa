// GET /.well-known/mcp/server.json (CAT-1): bytes from memory.
import { Hono } from "hono";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { Surface } from "../surface.ts";
import type { EncodedDocument, ServedAs } from "./document.ts";
import { revalidated, serveDocument } from "./serve-document.ts";

export const catalogueServedAs: ServedAs = { contentType: "application/json", cacheControl: revalidated };

/** `current` gives the published document; undefined before the first sync is 503, never an empty list (CAT-9). */
export function catalogueSurface(current: () => EncodedDocument | undefined): Surface {
  const app = new Hono();
  app.get(cataloguePath, (c) => serveDocument(c, current()));
  return { app, isPublicRead: (path) => path === cataloguePath };
}

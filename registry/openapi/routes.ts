// GET /openapi.json: the same bytes for as long as the program runs, encoded when first asked for.
import { Hono } from "hono";
import { encodeDocument, type EncodedDocument } from "../catalogue/document.ts";
import { revalidated, serveDocument } from "../catalogue/serve-document.ts";
import type { Surface } from "../surface.ts";
import { openApi, openApiPath } from "./document.ts";

export function openApiSurface(): Surface {
  let document: Promise<EncodedDocument> | undefined;
  const app = new Hono();
  app.get(openApiPath, async (c) => {
    document ??= encodeDocument(JSON.stringify(openApi));
    return serveDocument(c, await document, { contentType: "application/json", cacheControl: revalidated });
  });
  return { app, isPublicRead: (path) => path === openApiPath };
}

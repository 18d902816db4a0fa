// GET /openapi.json: the same bytes for as long as the program runs, rendered when first asked for.
import { Hono } from "hono";
import type { Logger } from "../../lib/process/log.ts";
import { LiveDocument } from "../catalogue/live-document.ts";
import { revalidated, serveDocument } from "../catalogue/serve-document.ts";
import type { Surface } from "../surface.ts";
import { openApiPath, renderOpenApi } from "./document.ts";

export function openApiSurface(log: Logger): Surface {
  const document = new LiveDocument({ contentType: "application/json", cacheControl: revalidated }, log);
  const app = new Hono();
  app.get(openApiPath, (c) => {
    if (document.current() === undefined) document.set(JSON.stringify(renderOpenApi()));
    return serveDocument(c, document.current());
  });
  return { app, isPublicRead: (path) => path === openApiPath };
}

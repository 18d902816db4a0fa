// GET /api/browse: what the configured sources publish (DSC-7, DSC-8).
import { Hono } from "hono";
import type { Browser } from "../discovery/browse/browser.ts";
import { readCursor, renderBrowsed } from "../discovery/browse/render.ts";
import { BrowserBusy } from "../discovery/browse/source-pool.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { needs, renderError, RestError, wrongField } from "./answers.ts";

export const browseCure =
  "no source is configured to browse: name some in spec.gateway.browse.sources, or install by POST /api/servers with a command such as npx -y PACKAGE, uvx PACKAGE or docker run IMAGE, or with a url";

const maxLimit = 100;
const defaultLimit = 20;

/** A larger one is cut to it, as clients of the interface expect. */
function readLimit(text: string | undefined): number {
  if (text === undefined || text === "") return defaultLimit;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw wrongField("limit", "expected a whole number from 1 on");
  return Math.min(maxLimit, Number(text));
}

/** What the sources answer. Throws RestError. */
export async function browseFor(
  browser: Browser,
  { query, limit = defaultLimit, cursor: text }: { query?: string; limit?: number; cursor?: string },
): Promise<ReturnType<typeof renderBrowsed>> {
  if (!(await browser.hasSources())) throw new RestError(501, "not_configured", browseCure);
  const cursor = readCursor(text, query);
  if (typeof cursor === "string") throw wrongField("cursor", cursor);
  try {
    return renderBrowsed(await browser.browse({ query: query ?? "", limit, cursor }));
  } catch (error) {
    if (error instanceof BrowserBusy) throw new RestError(429, "busy", error.message);
    throw error;
  }
}

export function createBrowseRoute(browser: Browser): Hono<GatewayRoutes> {
  const app = new Hono<GatewayRoutes>();
  app.onError(renderError);
  app.get("/api/browse", needs("viewer"), async (c) => {
    const { query = "", limit, cursor = "" } = c.req.query();
    return c.json(await browseFor(browser, { query, limit: readLimit(limit), cursor }));
  });
  return app;
}

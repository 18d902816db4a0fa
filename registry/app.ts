// All surfaces as one application: an id and a log line for each request, then the Host and Origin guard, then the
// surfaces, then JSON for what nobody serves. It knows no surface by name.
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { systemClock } from "../lib/process/clock.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import type { Logger } from "../lib/process/log.ts";
import { requestIdHeader, requestIdOf } from "./request-id.ts";
import { shorten } from "./shorten.ts";
import type { Surface } from "./surface.ts";

export interface AppOptions {
  surfaces: readonly Surface[];
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  log: Logger;
}

/** Throws on a malformed entry of the allow-lists (SEC-4). */
export function createApp({ surfaces, allowedHosts, allowedOrigins, log }: AppOptions): Hono {
  const app = new Hono();
  const isPublicRead = (path: string) => surfaces.some((surface) => surface.isPublicRead?.(path) === true);
  app.use(logAccess(log));
  app.use(guardHosts({ allowedHosts, allowedOrigins, isPublicRead }));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  for (const surface of surfaces) app.route("/", surface.app);
  app.notFound((c) => c.json({ error: "not_found", message: `nothing is served at ${shorten(c.req.path)}` }, 404));
  // Hono's own handler would print the error to standard error.
  app.onError((error, c) => {
    const requestId = c.res.headers.get(requestIdHeader);
    log.error({ requestId, method: c.req.method, path: shorten(c.req.path), err: error }, "request handler failed");
    return c.json({ error: "internal_error", message: "internal error, see the registry's log" }, 500);
  });
  return app;
}

/** Without the query, which may hold what nobody should read (BRR-4). At DEBUG: probes and scrapers ask all the time. */
const logAccess =
  (log: Logger): MiddlewareHandler =>
  async (c, next) => {
    const startedMs = systemClock.now();
    const requestId = requestIdOf(c.req.header(requestIdHeader));
    c.header(requestIdHeader, requestId);
    await next();
    const durationMs = Math.round((systemClock.now() - startedMs) * 10) / 10;
    const { method, path } = c.req;
    log.debug({ requestId, method, path: shorten(path), status: c.res.status, durationMs }, "request served");
  };

function refuseMethod(c: Context, served: string[]): Response {
  const allow = [...served, "OPTIONS"].join(", ");
  if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow });
  const message = `${c.req.method} is not served at ${shorten(c.req.path)}; use ${allow}`;
  return c.json({ error: "method_not_allowed", message }, 405, { Allow: allow });
}

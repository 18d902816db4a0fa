// The routes of a gateway in their order: a log line for each request, who may ask at all (Host and Origin), whether there is
// still time, who is asking, and then what is served. It knows nothing of what the routes do.
import { Hono, type MiddlewareHandler } from "hono";
import type { GatewayConfig } from "../crds/gateway-config.ts";
import { requireRole } from "../lib/auth/roles.ts";
import type { Drain } from "../lib/mcp/drain.ts";
import type { McpVariables } from "../lib/mcp/serve.ts";
import { systemClock, type Clock } from "../lib/process/clock.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import type { Logger } from "../lib/process/log.ts";
import { probeRoutes, type Probe } from "../lib/process/metrics.ts";
import type { InFlight } from "../lib/mcp/in-flight.ts";
import { mcpDeadline } from "./mcp-deadline.ts";
import type { GatewayMetrics, Route } from "./metrics.ts";
import { createMetadataApp, isMetadata } from "./protected-resource.ts";
import { isDashboardPath } from "./ui/routes.ts";
import { nameCaller, renderRefusal, type GatewayRoutes, type NameCallerParts } from "./name-caller.ts";

export interface AppParts extends Pick<NameCallerParts, "authenticate" | "observeUnready"> {
  config: Pick<GatewayConfig, "jwt" | "audience" | "instance">;
  clock: Clock;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  drain: Drain;
  inFlight: InFlight;
  /** The endpoint of the management table; it serves /mcp. */
  management: Hono<McpVariables>;
  /** Further routes for callers who were named, such as those to agents. They come first, and may pass on what they leave. */
  others: readonly Hono<GatewayRoutes>[];
  /** The page that people use, and its files; served whoever asks. */
  dashboard?: Hono;
  /** What is served to those who show no token. */
  publicReads?: Hono<GatewayRoutes>;
  metrics: Pick<GatewayMetrics, "countRequest" | "countRefused">;
  log: Logger;
}

const managementPath = "/mcp";
const maxShownPathChars = 200;
const shorten = (path: string): string =>
  path.length <= maxShownPathChars ? path : `${path.slice(0, maxShownPathChars)}…`;

/** Throws on a malformed entry of the allow-lists (SEC-4). */
export function createApp(parts: AppParts): Hono<GatewayRoutes> {
  const { allowedHosts, allowedOrigins, drain, inFlight, metrics, log } = parts;
  const app = new Hono<GatewayRoutes>();
  app.use(countAndLog(metrics, log));
  app.use(guardHosts({ allowedHosts, allowedOrigins, isPublicRead: isMetadata, hasPages: true }));
  app.route("/", createMetadataApp(parts.config));
  if (parts.dashboard !== undefined) app.route("/", parts.dashboard);
  app.use(drain.refuseCalls);
  app.use(inFlight.middleware);
  if (parts.publicReads !== undefined) app.route("/", parts.publicReads);
  app.use(nameCaller({ ...parts, onRefused: metrics.countRefused }));
  app.use(mcpDeadline(parts.clock));
  for (const routes of parts.others) app.route("/", routes);
  app.use(managementPath, requireViewer(metrics.countRefused));
  app.route("/", parts.management);
  app.notFound((c) => c.json({ error: "not_found", message: `nothing is served at ${shorten(c.req.path)}` }, 404));
  // Hono's own handler would print the error to standard error.
  app.onError((error, c) => {
    log.error({ method: c.req.method, path: shorten(c.req.path), err: error }, "request handler failed");
    return c.json({ error: "internal_error", message: "internal error, see the gateway's log" }, 500);
  });
  return app;
}

/** The management server is for people; what is an agent's own is elsewhere. */
const requireViewer = (onRefused: NameCallerParts["onRefused"]): MiddlewareHandler<GatewayRoutes> =>
  async function viewer(c, next) {
    const refusal = requireRole(c.get("caller"), "viewer");
    if (refusal === undefined) {
      await next();
      return undefined;
    }
    onRefused(refusal.status);
    return renderRefusal(refusal);
  };

function routeOf(path: string): Route {
  if (path === managementPath) return "mcp";
  if (path === "/api" || path.startsWith("/api/")) return "rest";
  if (isDashboardPath(path)) return "ui";
  return path.startsWith("/proxy/") ? "proxy" : "other";
}

/** Without the query, which may hold what nobody should read (BRR-4). At DEBUG: clients ask all the time. */
const countAndLog = (metrics: AppParts["metrics"], log: Logger): MiddlewareHandler<GatewayRoutes> =>
  async function observe(c, next) {
    const startedMs = systemClock.now();
    await next();
    const durationMs = Math.round((systemClock.now() - startedMs) * 10) / 10;
    const { method, path } = c.req;
    const { status } = c.res;
    metrics.countRequest(routeOf(path), status);
    log.debug({ method, path: shorten(path), status, durationMs, subject: c.get("caller")?.subject }, "request served");
  };

/** The second port: probes and metrics, for the kubelet and scrapers. */
export function createAdminApp(parts: {
  allowedHosts: readonly string[];
  ready: Probe;
  metrics: Pick<GatewayMetrics, "render">;
}): Hono {
  const app = new Hono();
  app.use(guardHosts({ allowedHosts: parts.allowedHosts, allowedOrigins: [] }));
  app.route("/", probeRoutes({ ready: parts.ready }));
  app.get("/metrics", async (c) => {
    const { body, contentType } = await parts.metrics.render();
    return c.body(body, 200, { "Content-Type": contentType });
  });
  return app;
}

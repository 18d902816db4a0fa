// The routes of a bridge in their order: who may ask at all (Host and Origin), whether there is still time, and then MCP; on the
// second port probes, health, metrics and the server's own log. It authenticates nobody: who reaches it is the network's business.
import { Hono } from "hono";
import type { BridgeHealth } from "../crds/bridge-config.ts";
import type { Drain } from "../lib/mcp/drain.ts";
import type { McpVariables } from "../lib/mcp/serve.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import type { ServerEnv } from "../lib/process/http-server.ts";
import type { Logger } from "../lib/process/log.ts";
import { probeRoutes, type Probe } from "../lib/process/metrics.ts";
import type { InFlight } from "../lib/mcp/in-flight.ts";
import type { BridgeMetrics } from "./metrics.ts";

export type BridgeRoutes = McpVariables & { Bindings: ServerEnv };

export interface AppParts {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly drain: Drain;
  readonly inFlight: InFlight;
  /** Serves /mcp. */
  readonly mcp: Hono<McpVariables>;
  readonly log: Logger;
}

/** Throws on a malformed entry of the allow-lists (SEC-4). */
export function createApp({ allowedHosts, allowedOrigins, drain, inFlight, mcp, log }: AppParts): Hono<BridgeRoutes> {
  const app = new Hono<BridgeRoutes>();
  app.use(guardHosts({ allowedHosts, allowedOrigins }));
  app.use(drain.refuseCalls);
  app.use(inFlight.middleware);
  app.route("/", mcp);
  app.notFound((c) => c.json({ error: "not_found", message: "only /mcp is served here" }, 404));
  // Hono's own handler would print the error to standard error.
  app.onError((error, c) => {
    log.error({ method: c.req.method, err: error }, "request handler failed");
    return c.json({ error: "internal_error", message: "internal error, see the bridge's log" }, 500);
  });
  return app;
}

export interface AdminParts {
  readonly allowedHosts: readonly string[];
  readonly ready: Probe;
  readonly health: () => BridgeHealth;
  /** What the server wrote to standard error of late. */
  readonly stderr: () => readonly string[];
  readonly metrics: Pick<BridgeMetrics, "render">;
}

/** The second port: for the kubelet, scrapers, the operator and `pallas up`. */
export function createAdminApp({ allowedHosts, ready, health, stderr, metrics }: AdminParts): Hono {
  const app = new Hono();
  app.use(guardHosts({ allowedHosts, allowedOrigins: [] }));
  app.route("/", probeRoutes({ ready }));
  app.get("/health", (c) => c.json(health(), 200, { "Cache-Control": "no-store" }));
  app.get("/stderr", (c) =>
    c.text(
      stderr()
        .map((line) => `${line}\n`)
        .join(""),
      200,
      { "Cache-Control": "no-store" },
    ),
  );
  app.get("/metrics", async (c) => {
    const { body, contentType } = await metrics.render();
    return c.body(body, 200, { "Content-Type": contentType });
  });
  return app;
}

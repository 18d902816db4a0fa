// The second port of an agent: probes, the health report, metrics, and for its gateway the compositor and the calls in flight.
// Not for callers: the NetworkPolicy says who reaches it. What is the gateway's asks who it is; the rest is open.
import { Hono } from "hono";
import type { McpVariables } from "../lib/mcp/serve.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import { probeRoutes } from "../lib/process/metrics.ts";
import type { HealthReport } from "../crds/health.ts";

export interface AdminParts {
  allowedHosts: readonly string[];
  /** Why the agent must get no calls now; undefined when it may. Only an error verdict counts, never a downstream's state. */
  observeUnready: () => Promise<string | undefined>;
  checkHealth: () => Promise<HealthReport>;
  renderMetrics: () => Promise<{ body: string; contentType: string }>;
  /** What is for the gateway alone, where there is one. */
  gateway?: Hono<McpVariables> | undefined;
}

/** `/livez /readyz /health /metrics` (HLT-5). `/health` answers 200 whatever the verdict. */
export function createAdminApp(parts: AdminParts): Hono {
  const app = new Hono();
  app.use(guardHosts({ allowedHosts: parts.allowedHosts, allowedOrigins: [] }));
  app.route("/", probeRoutes({ ready: parts.observeUnready }));
  app.get("/health", async (c) => c.json(await parts.checkHealth(), 200, { "Cache-Control": "no-store" }));
  app.get("/metrics", async (c) => {
    const { body, contentType } = await parts.renderMetrics();
    return c.body(body, 200, { "Content-Type": contentType });
  });
  if (parts.gateway !== undefined) app.route("/", parts.gateway);
  return app;
}

// GET /healthz with /livez and /readyz (HLT-5). /healthz answers 200 while the process can answer at all: what is
// wrong stands in its body.
import { Hono } from "hono";
import { healthReportLimitBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { fetchText } from "../../lib/process/fetch-limited.ts";
import { probeRoutes } from "../../lib/process/metrics.ts";
import type { SlugConflict } from "../../plan/catalogue.ts";
import { adminUrlOf } from "../polling/admin-url.ts";
import type { Visit } from "../polling/poller.ts";
import type { ResourceSource } from "../source/source.ts";
import type { Surface } from "../surface.ts";
import { renderHealth } from "./report.ts";

/** Asks one pod for its report. Rejects on a bad status, an oversized body, or another shape. */
export async function fetchHealthReport(endpoint: AgentEndpoint, signal: AbortSignal): Promise<HealthReport> {
  const request = { signal, accept: "application/json", limitBytes: healthReportLimitBytes };
  return parseHealthReport(await fetchText(adminUrlOf(endpoint, "health"), request), endpoint.agent);
}

export interface HealthSurfaceOptions {
  source: ResourceSource;
  visits: () => readonly Visit<HealthReport>[];
  conflicts: () => readonly SlugConflict[];
  /** Why the registry must get no requests now; undefined when it may. */
  observeUnready: () => string | undefined;
}

export function healthSurface({ source, visits, conflicts, observeUnready }: HealthSurfaceOptions): Surface {
  const app = new Hono();
  app.route("/", probeRoutes({ ready: observeUnready }));
  app.get("/healthz", (c) => {
    const health = renderHealth({
      state: source.state(),
      endpointState: source.endpointState(),
      instances: source.instances(),
      pods: visits().map(({ endpoint, answer }) => ({ endpoint, report: answer.ok ? answer.value : undefined })),
      conflicts: conflicts(),
      unreadable: source.unreadable(),
    });
    return c.json(health, 200, { "Cache-Control": "no-store" });
  });
  return { app, isPublicRead: (path) => path === "/healthz" };
}

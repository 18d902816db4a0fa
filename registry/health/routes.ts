// GET /healthz with /livez and /readyz (HLT-5). /healthz answers 200 while the process can answer at all: what is
// wrong stands in its body, which is made anew at most once a second, since anyone may ask and it is about every pod.
import { Hono } from "hono";
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";
import { probeRoutes } from "../../lib/process/metrics.ts";
import type { SlugConflict } from "../../plan/catalogue.ts";
import { keepFor } from "../keep-for.ts";
import { adminUrlOf } from "../polling/admin-url.ts";
import type { Visit } from "../polling/poller.ts";
import type { ResourceSource } from "../source/source.ts";
import type { Surface } from "../surface.ts";
import { renderHealth } from "./report.ts";

/** Asks one pod for its report. Rejects on a bad status, an oversized body, or another shape. */
export async function fetchHealthReport(endpoint: AgentEndpoint, signal: AbortSignal): Promise<HealthReport> {
  const request = { signal, accept: "application/json", maxBytes: maxHealthReportBytes };
  return parseHealthReport(await fetchText(adminUrlOf(endpoint, "health"), request), endpoint.agent);
}

const keptMs = 1_000;

export interface HealthSurfaceOptions {
  source: ResourceSource;
  visits: () => readonly Visit<HealthReport>[];
  conflicts: () => readonly SlugConflict[];
  /** Why the registry must get no requests now; undefined when it may. */
  observeUnready: () => string | undefined;
}

export function healthSurface({ source, visits, conflicts, observeUnready }: HealthSurfaceOptions): Surface {
  const health = keepFor(keptMs, () =>
    JSON.stringify(
      renderHealth({
        state: source.state(),
        endpointState: source.endpointState(),
        instances: source.instances(),
        pods: visits().map(({ endpoint, answer }) => ({ endpoint, report: answer.ok ? answer.value : undefined })),
        conflicts: conflicts(),
        unreadable: source.unreadable(),
      }),
    ),
  );
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  const app = new Hono();
  app.route("/", probeRoutes({ ready: observeUnready }));
  app.get("/healthz", (c) => c.body(health.get(), 200, headers));
  return { app, isPublicRead: (path) => path === "/healthz" };
}

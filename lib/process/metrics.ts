// A process's own Prometheus registry with the process metrics in it, and the probe routes that every program serves.
// Which series exist is the callers' business.
import { Hono } from "hono";
import { collectDefaultMetrics, Registry } from "prom-client";

/** A probe that gives no answer in this time counts as failed; kubelets wait longer than that. */
const probeTimeoutMs = 900;

/** Gauges that prom-client calls totals, which promtool refuses; the series by type say more. */
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

export interface Metrics {
  /** Register further series here. */
  readonly registry: Registry;
  /** Everything registered, as text 0.0.4. */
  render(): Promise<{ body: string; contentType: string }>;
}

/** A registry of its own for each call, so two programs in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return {
    registry,
    render: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
  };
}

/** Says why not, or undefined when all is well. A throw or silence counts as a reason. */
export type Probe = () => string | undefined | Promise<string | undefined>;

/** `/livez` and `/readyz` (HLT-5): 200 `{ status: "ok" }` or 503 `{ status: "unavailable", reason }`. Live without a probe of its own. */
export function probeRoutes(probes: { live?: Probe; ready: Probe }): Hono {
  const app = new Hono();
  const routes: [string, Probe][] = [
    ["/livez", probes.live ?? (() => undefined)],
    ["/readyz", probes.ready],
  ];
  for (const [path, probe] of routes) {
    app.get(path, async (c) => {
      c.header("Cache-Control", "no-store");
      const reason = await runProbe(probe);
      return reason === undefined ? c.json({ status: "ok" }) : c.json({ status: "unavailable", reason }, 503);
    });
  }
  return app;
}

async function runProbe(probe: Probe): Promise<string | undefined> {
  const silence = Promise.withResolvers<string>();
  const timer = setTimeout(() => silence.resolve(`no answer within ${probeTimeoutMs} ms`), probeTimeoutMs);
  try {
    return await Promise.race([probe(), silence.promise]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

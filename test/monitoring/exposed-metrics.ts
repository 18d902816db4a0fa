// Every metric that operator, registry, gateways, bridges and agents can expose, from the code that registers them.
import { Registry } from "prom-client";
import { createAgentMetrics } from "../../agent-runtime/metrics.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { createBridgeMetrics } from "../../bridge/metrics.ts";
import { createGatewayMetrics } from "../../gateway/metrics.ts";
import { createKubeMetrics } from "../../lib/kube/metrics.ts";
import { createMetrics } from "../../lib/process/metrics.ts";
import { registerRolloutMetrics } from "../../operator/rollouts/metrics.ts";
import { registerOwnSeries } from "../../registry/metrics/own-series.ts";
import { metricsSurface } from "../../registry/metrics/routes.ts";

/** Names of series: a histogram's are its buckets, sum and count. */
export async function listExposedMetrics(): Promise<Set<string>> {
  const kube = new Registry();
  createKubeMetrics(kube);
  registerRolloutMetrics(kube, { moving: 0, waiting: 0, failed: [], isStopped: false });
  const own = createMetrics();
  registerOwnSeries({
    registry: own.registry,
    source: { instances: () => [], agents: () => [], unreadable: () => [] },
    agentUrl: () => "",
    visits: () => [],
  });
  metricsSurface({ own, visits: () => [] });
  const agent = createAgentMetrics({ config: renderTestConfig(), port: 8080 });
  const observed = {
    countSessions: () => 0,
    countInFlight: () => 0,
    countTroubles: () => 0,
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  };
  const gateway = createGatewayMetrics(() => observed);
  const bridge = createBridgeMetrics(() => ({ countProcesses: () => 0, countSessions: () => 0, isUp: () => false }));
  const texts = [
    await kube.metrics(),
    (await own.render()).body,
    (await agent.render()).body,
    (await gateway.render()).body,
    (await bridge.render()).body,
  ];
  // By their types: a metric without a series yet has one too.
  const types = texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]);
  const series = types.flatMap(([, name = "", type = ""]) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => `${name}${suffix}`) : [name],
  );
  // Prometheus itself says whether a scrape went well.
  return new Set(["up", ...series]);
}

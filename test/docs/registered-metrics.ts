// Every metric that agent, registry, gateway, bridge and operator have, with its type and labels, as one scrape of each shows them after
// everything happened once. Those of the process and of Node, which every program has, are left out.
import { Registry } from "prom-client";
import { createAgentMetrics } from "../../agent-runtime/metrics.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { createBridgeMetrics } from "../../bridge/metrics.ts";
import { createGatewayMetrics } from "../../gateway/metrics.ts";
import { createKubeMetrics } from "../../lib/kube/metrics.ts";
import { createMetrics } from "../../lib/process/metrics.ts";
import { registerRolloutMetrics } from "../../operator/rollouts/metrics.ts";
import { parseExposition } from "../../registry/metrics/exposition.ts";
import { registerOwnSeries } from "../../registry/metrics/own-series.ts";
import { metricsSurface } from "../../registry/metrics/routes.ts";
import { makeAgent, makeEndpoint, makeInstance } from "../../registry/testing/resources.ts";

export type Program = "agent" | "registry" | "gateway" | "bridge" | "operator";

export interface RegisteredMetric {
  readonly name: string;
  readonly type: string;
  /** In the order of the alphabet; `le` of histograms is none. */
  readonly labels: readonly string[];
}

async function renderAgent(): Promise<string> {
  const config = renderTestConfig({ servers: [renderTestServer("argos", "http://argos.tools.svc:8000/mcp")] });
  const metrics = createAgentMetrics({ config, port: 8080 });
  const part = { ok: true, checkedAt: "2026-11-21T10:00:00Z" };
  metrics.setHealth({
    status: "ok",
    timestamp: "2026-11-21T10:00:00Z",
    agent: "tech-research",
    providers: { passthrough: part },
    downstreams: { argos: part },
  });
  return (await metrics.render()).body;
}

async function renderRegistry(): Promise<string> {
  const own = createMetrics();
  const endpoint = makeEndpoint("research", "http://127.0.0.1:9090");
  const visits = () => [
    { endpoint, answer: { ok: true, value: [] } as const, durationMs: 5, answeredAtMs: performance.now() },
  ];
  const source = {
    instances: () => [makeInstance({ gateway: {} })],
    agents: () => [makeAgent("research")],
    unreadable: () => [],
  };
  registerOwnSeries({ registry: own.registry, source, agentUrl: () => "http://localhost:24201/mcp", visits });
  metricsSurface({ own, visits });
  createKubeMetrics(own.registry).requested("GET", "200");
  return (await own.render()).body;
}

async function renderGateway(): Promise<string> {
  const none = () => 0;
  const metrics = createGatewayMetrics(() => ({
    ...{ countSessions: none, countInFlight: none, countTroubles: none },
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  }));
  metrics.countRequest("mcp", 200);
  metrics.countProxied({ route: "agent", agent: "clerk", outcome: "ok", durationMs: 1 });
  metrics.kube.requested("GET", "200");
  return (await metrics.render()).body;
}

async function renderBridge(): Promise<string> {
  const none = () => 0;
  const metrics = createBridgeMetrics(() => ({ countProcesses: none, countSessions: none, isUp: () => true }));
  metrics.onCall("ok", 1);
  return (await metrics.render()).body;
}

async function renderOperator(): Promise<string> {
  const registry = new Registry();
  const kube = createKubeMetrics(registry);
  const queue = kube.queue("agent");
  queue.waited(1);
  queue.worked(1);
  queue.inWork(() => []);
  const controller = kube.controller("agent");
  controller.workers(8);
  controller.reconciled("success", 1);
  kube.requested("GET", "200");
  kube.master("pallas-operator");
  registerRolloutMetrics(registry, { moving: 0, waiting: 0, failed: [], isStopped: false });
  kube.watchRefused("PallasAgent", "agents");
  return registry.metrics();
}

const ofEveryProgram = /^(process|nodejs)_/;

function readFamilies(text: string): RegisteredMetric[] {
  return parseExposition(text)
    .filter(({ name }) => !ofEveryProgram.test(name))
    .map(({ name, type, samples }) => ({
      name,
      type,
      labels: [...new Set(samples.flatMap(({ labels }) => labels.map((label) => label.name)))]
        .filter((label) => label !== "le")
        .toSorted(),
    }));
}

export const listRegisteredMetrics = async (): Promise<Record<Program, RegisteredMetric[]>> => ({
  agent: readFamilies(await renderAgent()),
  registry: readFamilies(await renderRegistry()),
  gateway: readFamilies(await renderGateway()),
  bridge: readFamilies(await renderBridge()),
  operator: readFamilies(await renderOperator()),
});

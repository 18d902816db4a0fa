// The series of one agent (MET-2, MET-3): every name and label comes from crds/metric-names.ts. It counts what it is told.
import { Counter, Gauge, Histogram } from "prom-client";
import type { HealthReport } from "../crds/health.ts";
import {
  durationBuckets,
  healthValue,
  metricNames,
  outcomes,
  tokenKinds,
  type operations,
} from "../crds/metric-names.ts";
import { createMetrics } from "../lib/process/metrics.ts";
import type { TokenUsage } from "./model/types.ts";

type Outcome = (typeof outcomes)[number];
const operation: (typeof operations)[number] = "tool";

export interface AgentMetrics {
  countCall(call: { outcome: Outcome; durationMs: number }): void;
  countTurn(turn: { model: string; usage: TokenUsage }): void;
  countToolCall(call: { server: string; outcome: Outcome; durationMs: number }): void;
  setHealth(report: HealthReport): void;
  /** Text 0.0.4. */
  render(): Promise<{ body: string; contentType: string }>;
}

/** Registers the series for `agent`, which serves /mcp on `port`. */
export function createAgentMetrics({ agent, port }: { agent: string; port: number }): AgentMetrics {
  const metrics = createMetrics();
  const registers = [metrics.registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const seconds = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram<Label>({ name, help, labelNames, registers, buckets: durationBuckets });

  const up = gauge(metricNames.up, "1 while the process runs.", []);
  const info = gauge(metricNames.agentInfo, "1 for every configured agent.", ["agent", "port"]);
  const calls = counter(metricNames.sendMessageTotal, "send_message calls.", ["agent", "outcome"]);
  const callSeconds = seconds(metricNames.sendMessageSeconds, "Duration of send_message, the whole loop.", ["agent"]);
  const turns = counter(metricNames.llmTurnsTotal, "Model calls that were answered.", ["agent", "model"]);
  const tokens = counter(metricNames.llmTokensTotal, "Tokens, by kind.", ["agent", "model", "kind"]);
  const toolCalls = counter(metricNames.toolCallsTotal, "Calls to downstream servers.", [
    "agent",
    "server",
    "operation",
    "outcome",
  ]);
  const toolLabels = ["agent", "server", "operation"] as const;
  const toolSeconds = seconds(metricNames.toolCallSeconds, "Duration of calls to downstream servers.", [...toolLabels]);
  const downstreamUp = gauge(metricNames.downstreamUp, "1 when the server is reachable.", ["agent", "server"]);
  const providerUp = gauge(metricNames.llmProviderUp, "1 when the provider passed its preflight.", ["provider"]);
  const status = gauge(metricNames.agentHealthStatus, "1 ok, 0.5 degraded, 0 error.", ["agent"]);

  up.set(1);
  info.set({ agent, port: String(port) }, 1);
  // A rate needs the series to be there before the first event.
  for (const outcome of outcomes) calls.inc({ agent, outcome }, 0);

  return {
    countCall({ outcome, durationMs }) {
      calls.inc({ agent, outcome });
      callSeconds.observe({ agent }, durationMs / 1_000);
    },
    countTurn({ model, usage }) {
      turns.inc({ agent, model });
      for (const kind of tokenKinds) {
        const count = usage[kind] ?? 0;
        if (Number.isFinite(count) && count > 0) tokens.inc({ agent, model, kind }, count);
      }
    },
    countToolCall({ server, outcome, durationMs }) {
      toolCalls.inc({ agent, server, operation, outcome });
      toolSeconds.observe({ agent, server, operation }, durationMs / 1_000);
    },
    setHealth(report) {
      status.set({ agent }, healthValue[report.status]);
      for (const [server, { ok }] of Object.entries(report.downstreams))
        downstreamUp.set({ agent, server }, ok ? 1 : 0);
      for (const [provider, { ok }] of Object.entries(report.providers)) providerUp.set({ provider }, ok ? 1 : 0);
    },
    render: () => metrics.render(),
  };
}

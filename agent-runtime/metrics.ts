// The series of one agent (MET-2, MET-3): every name and label comes from crds/metric-names.ts, every value of a label from
// the configuration, so that their number is fixed at start. It counts what it is told.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { HealthReport } from "../crds/health.ts";
import {
  callOutcomes,
  dropReasons,
  durationBuckets,
  healthValue,
  metricNames,
  outcomes,
  refusals,
  tokenKinds,
  type CallOutcome,
  type DropReason,
  type Operation,
  type Refusal,
  type Outcome,
} from "../crds/metric-names.ts";
import type { RunConfig } from "../crds/run-config.ts";
import { policyDecisions, type PolicyDecision } from "../lib/policy/decision-names.ts";
import { createMetrics } from "../lib/process/metrics.ts";
import type { TokenUsage } from "./model/types.ts";

/** The one that every agent may do; others have series once they happen. */
const operation: Operation = "tool";
/** Stands for every name that is not configured. */
const other = "other";

export interface AgentMetrics {
  countCall(call: { outcome: CallOutcome; durationMs: number }): void;
  countRefused(reason: Refusal): void;
  countTurn(turn: { model: string; usage: TokenUsage }): void;
  countToolCall(call: { server: string; operation: Operation; outcome: Outcome; durationMs: number }): void;
  countDecision(decision: PolicyDecision): void;
  countDropped(reason: DropReason): void;
  setHealth(report: HealthReport): void;
  /** Text 0.0.4. */
  render(): Promise<{ body: string; contentType: string }>;
}

export interface AgentMetricsOptions {
  config: Pick<RunConfig, "agent" | "models" | "servers" | "agents">;
  /** Where /mcp is served. */
  port: number;
}

/** `name` where it is configured, else one word for all others. */
const createLabel = (names: readonly string[]) => {
  const known: ReadonlySet<string> = new Set(names);
  return (name: string) => (known.has(name) ? name : other);
};

type Series = ReturnType<typeof registerSeries>;

function registerSeries(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers });
  const seconds = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram<Label>({ name, help, labelNames, registers, buckets: durationBuckets });
  const ofTool = ["agent", "server", "operation"] as const;
  return {
    up: gauge(metricNames.up, "1 while the process runs.", []),
    info: gauge(metricNames.agentInfo, "1 for every configured agent.", ["agent", "port"]),
    calls: counter(metricNames.sendMessageTotal, "send_message calls.", ["agent", "outcome"]),
    callSeconds: seconds(metricNames.sendMessageSeconds, "Duration of send_message, the whole loop.", ["agent"]),
    refused: counter(metricNames.refusedTotal, "Calls refused before they ran.", ["agent", "reason"]),
    turns: counter(metricNames.llmTurnsTotal, "Model calls that were answered.", ["agent", "model"]),
    tokens: counter(metricNames.llmTokensTotal, "Tokens, by kind.", ["agent", "model", "kind"]),
    toolCalls: counter(metricNames.toolCallsTotal, "Calls to downstream servers.", [...ofTool, "outcome"]),
    toolSeconds: seconds(metricNames.toolCallSeconds, "Duration of calls to downstream servers.", [...ofTool]),
    decisions: counter(metricNames.policyDecisionsTotal, "Calls judged by the policy.", ["agent", "decision"]),
    dropped: counter(metricNames.historiesDroppedTotal, "Conversations that were dropped.", ["agent", "reason"]),
    downstreamUp: gauge(metricNames.downstreamUp, "1 when the server is reachable.", ["agent", "server"]),
    providerUp: gauge(metricNames.llmProviderUp, "1 when the provider passed its preflight.", ["provider"]),
    status: gauge(metricNames.agentHealthStatus, "1 ok, 0.5 degraded, 0 error.", ["agent"]),
  };
}

/** A rate needs the series to be there before the first event. */
function startAtZero(
  { calls, callSeconds, refused, turns, tokens, toolCalls, toolSeconds, decisions, dropped }: Series,
  { agent, servers, models }: { agent: string; servers: readonly string[]; models: readonly string[] },
): void {
  for (const outcome of callOutcomes) calls.inc({ agent, outcome }, 0);
  for (const outcome of outcomes) {
    for (const server of servers) toolCalls.inc({ agent, server, operation, outcome }, 0);
  }
  for (const decision of policyDecisions) decisions.inc({ agent, decision }, 0);
  for (const reason of dropReasons) dropped.inc({ agent, reason }, 0);
  callSeconds.zero({ agent });
  for (const reason of refusals) refused.inc({ agent, reason }, 0);
  for (const server of servers) toolSeconds.zero({ agent, server, operation });
  for (const model of models) {
    turns.inc({ agent, model }, 0);
    for (const kind of tokenKinds) tokens.inc({ agent, model, kind }, 0);
  }
}

/** Registers the series for the agent of `config`. */
export function createAgentMetrics({ config, port }: AgentMetricsOptions): AgentMetrics {
  const agent = config.agent.name;
  const models = config.models.map(({ name }) => name);
  const servers = [...config.servers, ...config.agents].map(({ name }) => name);
  const modelLabel = createLabel(models);
  const serverLabel = createLabel(servers);
  const metrics = createMetrics();
  const series = registerSeries(metrics.registry);
  const { up, info, calls, callSeconds, refused, turns, tokens, toolCalls, toolSeconds, decisions, dropped } = series;
  const { downstreamUp, providerUp, status } = series;

  up.set(1);
  info.set({ agent, port: String(port) }, 1);
  startAtZero(series, { agent, servers, models });

  return {
    countCall({ outcome, durationMs }) {
      calls.inc({ agent, outcome });
      callSeconds.observe({ agent }, durationMs / 1_000);
    },
    countRefused: (reason) => refused.inc({ agent, reason }),
    countTurn({ model: name, usage }) {
      const model = modelLabel(name);
      turns.inc({ agent, model });
      for (const kind of tokenKinds) {
        const count = usage[kind] ?? 0;
        if (Number.isFinite(count) && count > 0) tokens.inc({ agent, model, kind }, count);
      }
    },
    countToolCall({ server: name, operation: done, outcome, durationMs }) {
      const server = serverLabel(name);
      toolCalls.inc({ agent, server, operation: done, outcome });
      toolSeconds.observe({ agent, server, operation: done }, durationMs / 1_000);
    },
    countDecision: (decision) => decisions.inc({ agent, decision }),
    countDropped: (reason) => dropped.inc({ agent, reason }),
    setHealth(report) {
      status.set({ agent }, healthValue[report.status]);
      for (const [server, { ok }] of Object.entries(report.downstreams)) {
        downstreamUp.set({ agent, server }, ok ? 1 : 0);
      }
      for (const [provider, { ok }] of Object.entries(report.providers)) providerUp.set({ provider }, ok ? 1 : 0);
    },
    render: () => metrics.render(),
  };
}

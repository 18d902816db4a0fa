// The series of a gateway. Every label has a fixed set of values, whatever callers send.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { metricNames } from "../crds/metric-names.ts";
import { createKubeMetrics, type KubeMetrics } from "../lib/kube/metrics.ts";
import { createMetrics } from "../lib/process/metrics.ts";
import type { Confidence } from "../lib/search/confidence.ts";
import { approvalEnds, type ApprovalEnd, type PendingApprovals } from "./approvals/tally.ts";
import { createEmbeddingsMetrics, type EmbeddingsMetrics } from "./discovery/embeddings/metrics.ts";
import { policyDecisions, type PolicyDecision } from "../lib/policy/decision-names.ts";
import type { ProxiedCall } from "./proxy/proxy.ts";

/** What a request was for. */
export type Route = "mcp" | "proxy" | "rest" | "ui" | "other";

/** Why nobody was let in, by the status of the answer. */
const refusedStatuses = [400, 401, 403, 503] as const;

const writeOperations = ["create", "patch", "delete"] as const;
export type WriteOperation = (typeof writeOperations)[number];
/** refused: by the API server, or before it was asked. failed: no answer, so that nobody knows. */
const writeOutcomes = ["ok", "refused", "failed"] as const;
export type WriteOutcome = (typeof writeOutcomes)[number];

/** error: the tool said so, or there was no answer. */
const toolOutcomes = ["ok", "error"] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

export interface GatewayMetrics extends EmbeddingsMetrics {
  readonly kube: KubeMetrics;
  countRequest(route: Route, status: number): void;
  countRefused(status: (typeof refusedStatuses)[number]): void;
  countWrite(operation: WriteOperation, outcome: WriteOutcome): void;
  countProxied(call: ProxiedCall): void;
  /** What became of an approval. */
  countApproval(end: ApprovalEnd): void;
  countToolCall(outcome: ToolOutcome, durationMs: number): void;
  /** @param action of the registry tool */
  countRegistryAction(action: string, outcome: ToolOutcome): void;
  countFound(confidence: Confidence, durationMs: number): void;
  countPolicyDecision(decision: PolicyDecision): void;
  /** A browser said that it kept the dashboard from something. */
  countBlocked(): void;
  /** Tools that can be found. */
  setIndexed(count: number): void;
  /** Text 0.0.4. */
  render(): Promise<{ body: string; contentType: string }>;
}

export interface Observed {
  /** Sessions of the 2025 era that are open. */
  countSessions(): number;
  countInFlight(): number;
  /** What callers are judged by and cannot be read now. */
  countTroubles(): number;
  observeApprovals(): PendingApprovals;
}

/** `observe` is asked at each scrape. */
export function createGatewayMetrics(observe: () => Observed): GatewayMetrics {
  const metrics = createMetrics();
  const registers = [metrics.registry];
  new Gauge({ name: metricNames.up, help: "1 while the process runs.", registers }).set(1);
  const requests = new Counter({
    name: "pallas_gateway_requests_total",
    help: "Requests that were answered, by what they were for and the class of the status.",
    labelNames: ["route", "status"],
    registers,
  });
  const refused = new Counter({
    name: "pallas_gateway_refused_total",
    help: "Requests whose caller was not let in, by the status of the answer.",
    labelNames: ["status"],
    registers,
  });
  const writes = new Counter({
    name: "pallas_gateway_writes_total",
    help: "Writes of resources in the name of callers.",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const proxied = new Counter({
    name: "pallas_gateway_proxied_total",
    help: "Requests to agents that went through, by how they ended.",
    labelNames: ["route", "agent", "outcome"],
    registers,
  });
  const proxiedSeconds = new Histogram({
    name: "pallas_gateway_proxied_duration_seconds",
    help: "Time of requests to agents, to the end of their answers.",
    labelNames: ["route"],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  });
  const gauge = (name: string, help: string, read: (observed: Observed) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(observe()));
      },
    });
  gauge("pallas_gateway_sessions", "Sessions of the 2025 era that are open.", (each) => each.countSessions());
  gauge("pallas_gateway_calls_in_flight", "Requests that are not answered yet, without streams of changes.", (each) =>
    each.countInFlight(),
  );
  gauge("pallas_gateway_token_sources_in_trouble", "Keys and token tables that cannot be read now.", (each) =>
    each.countTroubles(),
  );
  // A rate needs the series to be there before the first event.
  for (const status of refusedStatuses) refused.inc({ status }, 0);
  for (const operation of writeOperations) for (const outcome of writeOutcomes) writes.inc({ operation, outcome }, 0);
  return {
    kube: createKubeMetrics(metrics.registry),
    countRequest: (route, status) => requests.inc({ route, status: `${Math.floor(status / 100)}xx` }),
    countRefused: (status) => refused.inc({ status }),
    countWrite: (operation, outcome) => writes.inc({ operation, outcome }),
    countProxied({ route, agent, outcome, durationMs }) {
      proxied.inc({ route, agent, outcome });
      proxiedSeconds.observe({ route }, durationMs / 1000);
    },
    countApproval: createApprovalMetrics(registers, () => observe().observeApprovals()),
    ...{ countToolCall: createToolMetrics(registers), countPolicyDecision: createPolicyMetrics(registers) },
    countBlocked: createPageMetrics(registers),
    ...createDiscoveryMetrics(registers),
    ...createEmbeddingsMetrics(registers),
    render: () => metrics.render(),
  };
}

function createApprovalMetrics(
  registers: Registry[],
  observe: () => PendingApprovals,
): GatewayMetrics["countApproval"] {
  const gauge = (name: string, help: string, read: (pending: PendingApprovals) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(observe()));
      },
    });
  gauge("pallas_gateway_approvals_pending", "Calls that wait for somebody to decide.", ({ pending }) => pending);
  gauge(
    "pallas_gateway_approvals_oldest_pending_seconds",
    "Age of the approval that has waited longest; 0 where none waits.",
    ({ oldestMs }) => oldestMs / 1000,
  );
  const approvals = new Counter({
    name: "pallas_gateway_approvals_total",
    help: "Approvals that are decided or over, by the verdict.",
    labelNames: ["verdict"],
    registers,
  });
  for (const verdict of approvalEnds) approvals.inc({ verdict }, 0);
  return (verdict) => approvals.inc({ verdict });
}

function createToolMetrics(registers: Registry[]): GatewayMetrics["countToolCall"] {
  const toolCalls = new Counter({
    name: "pallas_gateway_tool_calls_total",
    help: "Calls of tools of the instance's servers, by how they ended.",
    labelNames: ["outcome"],
    registers,
  });
  const toolSeconds = new Histogram({
    name: "pallas_gateway_tool_call_duration_seconds",
    help: "Time of calls of tools.",
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  });
  for (const outcome of toolOutcomes) toolCalls.inc({ outcome }, 0);
  return (outcome, durationMs) => {
    toolCalls.inc({ outcome });
    toolSeconds.observe(durationMs / 1000);
  };
}

function createPolicyMetrics(registers: Registry[]): GatewayMetrics["countPolicyDecision"] {
  const decisions = new Counter({
    name: "pallas_gateway_policy_decisions_total",
    help: "Calls through the gateway that its policy judged, by what it said of them.",
    labelNames: ["decision"],
    registers,
  });
  for (const decision of policyDecisions) decisions.inc({ decision }, 0);
  return (decision) => decisions.inc({ decision });
}

function createPageMetrics(registers: Registry[]): GatewayMetrics["countBlocked"] {
  const blocked = new Counter({
    name: "pallas_gateway_ui_blocked_total",
    help: "Reports of browsers that the dashboard's content security policy kept it from something.",
    registers,
  });
  return () => blocked.inc();
}

/** How sure find_tool was. */
const confidences = ["high", "medium", "low", "none"] as const;

function createDiscoveryMetrics(
  registers: Registry[],
): Pick<GatewayMetrics, "countRegistryAction" | "countFound" | "setIndexed"> {
  const actions = new Counter({
    name: "pallas_gateway_registry_actions_total",
    help: "Actions of the registry tool, by how they ended.",
    labelNames: ["action", "outcome"],
    registers,
  });
  const found = new Counter({
    name: "pallas_gateway_found_total",
    help: "Searches for a tool, by how sure the answer was.",
    labelNames: ["confidence"],
    registers,
  });
  const indexed = new Gauge({ name: "pallas_gateway_indexed_tools", help: "Tools that can be found.", registers });
  const searchSeconds = new Histogram({
    name: "pallas_gateway_search_duration_seconds",
    help: "Time of searches for a tool.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1],
    registers,
  });
  for (const outcome of toolOutcomes) actions.inc({ action: "find_tool", outcome }, 0);
  for (const confidence of confidences) found.inc({ confidence }, 0);
  return {
    countRegistryAction: (action, outcome) => actions.inc({ action, outcome }),
    countFound(confidence, durationMs) {
      found.inc({ confidence });
      searchSeconds.observe(durationMs / 1000);
    },
    setIndexed: (count) => indexed.set(count),
  };
}

// Names and labels of the metrics that dashboards and alerts are written against (MET-2). Agents produce them, the
// registry merges them. Kinds of tokens never overlap, except that `reasoning` is part of `output` (MET-3).

export const metricNames = {
  up: "pallas_up",
  agentInfo: "pallas_agent_info",
  agentSpecReplicas: "pallas_agent_spec_replicas",
  gatewaySpecReplicas: "pallas_gateway_spec_replicas",
  sendMessageTotal: "pallas_send_message_total",
  sendMessageSeconds: "pallas_send_message_duration_seconds",
  refusedTotal: "pallas_refused_total",
  llmTurnsTotal: "pallas_llm_turns_total",
  llmTokensTotal: "pallas_llm_tokens_total",
  toolCallsTotal: "pallas_tool_calls_total",
  toolCallSeconds: "pallas_tool_call_duration_seconds",
  policyDecisionsTotal: "pallas_agent_policy_decisions_total",
  historiesDroppedTotal: "pallas_histories_dropped_total",
  downstreamUp: "pallas_downstream_up",
  llmProviderUp: "pallas_llm_provider_up",
  agentHealthStatus: "pallas_agent_health_status",
  agentScrapeUp: "pallas_agent_scrape_up",
  agentScrapeSeconds: "pallas_agent_scrape_duration_seconds",
  agentScrapeAge: "pallas_agent_scrape_age_seconds",
} as const;

/** Types of the series that agents' pods count; never another, since a query would mean something else. */
export const agentMetricTypes = {
  [metricNames.sendMessageTotal]: "counter",
  [metricNames.sendMessageSeconds]: "histogram",
  [metricNames.refusedTotal]: "counter",
  [metricNames.llmTurnsTotal]: "counter",
  [metricNames.llmTokensTotal]: "counter",
  [metricNames.toolCallsTotal]: "counter",
  [metricNames.toolCallSeconds]: "histogram",
  [metricNames.policyDecisionsTotal]: "counter",
  [metricNames.historiesDroppedTotal]: "counter",
  [metricNames.downstreamUp]: "gauge",
  [metricNames.llmProviderUp]: "gauge",
  [metricNames.agentHealthStatus]: "gauge",
} as const;

/** Labels the registry adds to every series of an agent's pod (MET-1). */
export const podLabels = ["namespace", "pallas_instance", "agent", "pod"] as const;

/** Why a call was refused before it ran: limits.concurrentCalls, limits.queuedCalls, the memory for bodies. */
export const refusals = ["concurrent", "queued", "memory"] as const;
export type Refusal = (typeof refusals)[number];
/** Of a call to a server. `cancelled`: the caller wanted it no more; alerts on errors leave it out. */
export const outcomes = ["ok", "error", "cancelled"] as const;
export type Outcome = (typeof outcomes)[number];
/** Of a call of the agent. `invalid`: what the caller sent cannot be used; alerts on errors leave that out too. */
export const callOutcomes = [...outcomes, "invalid"] as const;
export type CallOutcome = (typeof callOutcomes)[number];
/** Why a history was dropped: unused for history.idleTtl, or to make room within history.maxBytes. */
export const dropReasons = ["idle", "room"] as const;
export type DropReason = (typeof dropReasons)[number];
export const tokenKinds = ["input", "output", "cache_read", "cache_write", "cache_hit", "reasoning"] as const;
export const operations = ["tool", "prompt", "resource"] as const;

export type Operation = (typeof operations)[number];
export type TokenKind = (typeof tokenKinds)[number];

/** Upper bounds in seconds up to 30 minutes: with prom-client's own, a p95 over 60 s could never be seen (MET-3). */
export const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 90, 120, 300, 600, 900, 1800];

/** 1, 0.5, 0: the value of pallas_agent_health_status. */
export const healthValue = { ok: 1, degraded: 0.5, error: 0 } as const;

// For each alert the series that bring it about: what they are at its limit, where it must keep quiet, and just past it.
// The rule tester plays them in made-up minutes; a real Prometheus scrapes them in seconds.

export interface CaseSeries {
  /** With its labels, as PromQL writes it. */
  readonly series: string;
  /** Value at the limit and past it; of a counter, how much it grows in a step. Undefined: the series is not there. */
  readonly quiet: number | undefined;
  readonly bad: number | undefined;
  readonly isCounter?: true;
}

export interface AlertCase {
  readonly alert: string;
  readonly series: readonly CaseSeries[];
  /** Minutes at the limit before it is passed; default 60. */
  readonly quietMinutes?: number;
}

const gauge = (series: string, quiet: number | undefined, bad: number | undefined): CaseSeries => ({
  series,
  quiet,
  bad,
});
const counter = (series: string, quiet: number, bad: number): CaseSeries => ({ series, quiet, bad, isCounter: true });

const operator = 'job="pallas-operator",instance="operator:8081"';
const registry = 'job="pallas",instance="registry:24200"';
const gatewayOf = (instance: string) =>
  `job="pallas-gateway",namespace="agents",pallas_instance="${instance}",pod="${instance}-gateway-1"`;
const bridgeOf = (server: string, pod: number) =>
  `job="pallas-bridge",namespace="agents",pallas_instance="ouranos",pallas_server="${server}",pod="${server}-${pod}"`;
const agentNamed = (agent: string) => `namespace="agents",pallas_instance="ouranos",agent="${agent}"`;

export const leader = gauge(`leader_election_master_status{${operator},name="pallas-operator"}`, 1, 1);

/** Each with label values of its own, so that all can be played at once. */
export const alertCases: readonly AlertCase[] = [
  { alert: "PallasRegistryDown", series: [gauge(`up{${registry}}`, 1, 0)] },
  { alert: "PallasOperatorDown", series: [gauge(`up{${operator}}`, 1, 0)] },
  { alert: "PallasOperatorNoLeader", series: [{ ...leader, bad: 0 }] },
  {
    alert: "PallasReconcileErrors",
    series: [
      counter(`controller_runtime_reconcile_total{${operator},controller="a",result="success"}`, 80, 79),
      counter(`controller_runtime_reconcile_total{${operator},controller="a",result="error"}`, 20, 21),
      counter(`controller_runtime_reconcile_errors_total{${operator},controller="a"}`, 20, 21),
      counter(`controller_runtime_terminal_reconcile_errors_total{${operator},controller="a"}`, 10, 10),
    ],
  },
  {
    alert: "PallasReconcilePanics",
    series: [counter(`controller_runtime_reconcile_panics_total{${operator},controller="b"}`, 0, 1)],
  },
  {
    alert: "PallasReconcileTimeouts",
    series: [counter(`controller_runtime_reconcile_timeouts_total{${operator},controller="c"}`, 0, 1)],
  },
  {
    alert: "PallasReconcileStuck",
    series: [gauge(`workqueue_longest_running_processor_seconds{${operator},name="d"}`, 180, 181)],
  },
  { alert: "PallasQueueBacklog", series: [gauge(`workqueue_depth{${operator},name="e"}`, 100, 101)] },
  {
    alert: "PallasQueueSlow",
    series: [
      counter(`workqueue_queue_duration_seconds_bucket{${operator},name="f",le="5"}`, 980, 980),
      counter(`workqueue_queue_duration_seconds_bucket{${operator},name="f",le="10"}`, 990, 989),
      counter(`workqueue_queue_duration_seconds_bucket{${operator},name="f",le="30"}`, 1000, 1000),
      counter(`workqueue_queue_duration_seconds_bucket{${operator},name="f",le="+Inf"}`, 1000, 1000),
    ],
  },
  {
    alert: "PallasApiServerErrors",
    series: [
      counter(`rest_client_requests_total{${operator},method="PATCH",code="200"}`, 90, 89),
      counter(`rest_client_requests_total{${operator},method="PATCH",code="503"}`, 10, 11),
    ],
  },
  {
    alert: "PallasRolloutStopped",
    // The one that waits to lead is asked by nobody for a turn.
    series: [
      gauge(`pallas_rollout_stopped{${operator}}`, 0, 1),
      gauge('pallas_rollout_stopped{job="pallas-operator",instance="waiting:8081"}', 0, 0),
    ],
  },
  {
    alert: "PallasCatalogueStale",
    series: [
      counter(`rest_client_requests_total{${registry},method="GET",code="200"}`, 50, 49),
      counter(`rest_client_requests_total{${registry},method="GET",code="<error>"}`, 50, 51),
    ],
  },
  {
    alert: "PallasUnreadableResources",
    series: [gauge(`pallas_registry_unreadable_resources{${registry}}`, 0, 1)],
  },
  {
    alert: "PallasMetricsConflict",
    series: [gauge(`pallas_registry_conflicting_families{${registry}}`, 0, 1)],
  },
  {
    alert: "PallasGatewayDown",
    series: [
      gauge(wantedGateway("q"), 2, 2),
      gauge(`up{${gatewayOf("q")}}`, 1, undefined),
      // One of two pods is enough; one that is to have none, none.
      gauge(wantedGateway("half"), 2, 2),
      gauge(`up{${gatewayOf("half")}}`, 1, 1),
      gauge(`up{${gatewayOf("half").replace("-1", "-2")}}`, 0, 0),
      gauge(wantedGateway("asleep"), 0, 0),
    ],
  },
  {
    alert: "PallasGatewayTokens",
    series: [gauge(`pallas_gateway_token_sources_in_trouble{${gatewayOf("r")}}`, 0, 1)],
  },
  {
    alert: "PallasGatewayCallsFail",
    series: [
      counter(proxiedBy("s", "ok"), 60, 60),
      counter(proxiedBy("s", "refused"), 30, 29),
      ...["failed", "unreachable", "busy"].map((outcome) => counter(proxiedBy("s", outcome), 3, 3)),
      counter(proxiedBy("s", "late"), 1, 2),
      // What clients give up neither raises the share nor hides it.
      counter(proxiedBy("s", "aborted"), 500, 500),
    ],
  },
  {
    alert: "PallasGatewayWritesFail",
    series: [
      counter(`pallas_gateway_writes_total{${gatewayOf("t")},operation="patch",outcome="failed"}`, 0, 1),
      counter(`pallas_gateway_writes_total{${gatewayOf("t")},operation="patch",outcome="refused"}`, 9, 9),
    ],
  },
  {
    alert: "PallasApprovalWaits",
    series: [
      gauge(`pallas_gateway_approvals_oldest_pending_seconds{${gatewayOf("v")}}`, 300, 301),
      gauge(`pallas_gateway_approvals_oldest_pending_seconds{${gatewayOf("w")}}`, 0, 0),
    ],
  },
  {
    alert: "PallasPolicyFault",
    series: [
      counter(`pallas_gateway_policy_decisions_total{${gatewayOf("x")},decision="fault"}`, 0, 1),
      // What rules deny is as somebody meant it.
      counter(`pallas_gateway_policy_decisions_total{${gatewayOf("x")},decision="deny_abort"}`, 9, 9),
    ],
  },
  {
    alert: "PallasToolServerDown",
    series: [
      gauge(`pallas_bridge_server_up{${bridgeOf("memory", 1)}}`, 1, 0),
      // While a rollout goes on one of two is enough.
      gauge(`pallas_bridge_server_up{${bridgeOf("rolling", 1)}}`, 0, 0),
      gauge(`pallas_bridge_server_up{${bridgeOf("rolling", 2)}}`, 1, 1),
    ],
  },
  { alert: "PallasScrapeFailing", series: [gauge(`pallas_agent_scrape_up{${agentNamed("g")},pod="g-1"}`, 1, 0)] },
  {
    alert: "PallasAgentDown",
    series: [
      gauge(`pallas_agent_info{${agentNamed("h")},port="8080"}`, 1, 1),
      gauge(`pallas_agent_spec_replicas{${agentNamed("h")}}`, 2, 2),
      gauge(`pallas_agent_health_status{${agentNamed("h")},pod="h-1"}`, 1, undefined),
      // Scaled to zero on purpose, which is quiet all the time.
      gauge(`pallas_agent_info{${agentNamed("asleep")},port="8080"}`, 1, 1),
      gauge(`pallas_agent_spec_replicas{${agentNamed("asleep")}}`, 0, 0),
    ],
  },
  {
    alert: "PallasAgentUnhealthy",
    series: [
      gauge(`pallas_agent_health_status{${agentNamed("i")},pod="i-1"}`, 1, 1),
      gauge(`pallas_agent_health_status{${agentNamed("i")},pod="i-2"}`, 1, 0),
    ],
  },
  {
    alert: "PallasAgentDegraded",
    series: [gauge(`pallas_agent_health_status{${agentNamed("j")},pod="j-1"}`, 1, 0.5)],
  },
  {
    alert: "PallasProviderDown",
    series: [gauge(`pallas_llm_provider_up{${agentNamed("k")},provider="openai"}`, 1, 0)],
  },
  { alert: "PallasDownstreamDown", series: [gauge(`pallas_downstream_up{${agentNamed("l")},server="search"}`, 1, 0)] },
  {
    alert: "PallasAgentPolicyFault",
    series: [
      counter(`pallas_agent_policy_decisions_total{${agentNamed("y")},pod="y-1",decision="fault"}`, 0, 0),
      counter(`pallas_agent_policy_decisions_total{${agentNamed("y")},pod="y-2",decision="fault"}`, 0, 1),
      // What rules deny is as somebody meant it.
      counter(`pallas_agent_policy_decisions_total{${agentNamed("z")},pod="z-1",decision="deny_abort"}`, 9, 9),
    ],
  },
  {
    alert: "PallasAgentErrors",
    series: [
      counter(`pallas_send_message_total{${agentNamed("m")},outcome="ok"}`, 90, 89),
      counter(`pallas_send_message_total{${agentNamed("m")},outcome="error"}`, 10, 11),
      // What callers take back or get wrong neither raises the share nor hides it.
      counter(`pallas_send_message_total{${agentNamed("m")},outcome="cancelled"}`, 500, 500),
      counter(`pallas_send_message_total{${agentNamed("m")},outcome="invalid"}`, 500, 500),
    ],
  },
  {
    alert: "PallasAgentRefuses",
    // Of 100 calls 5 are turned away, 2 of which never became messages.
    series: [
      counter(`pallas_send_message_total{${agentNamed("p")},outcome="ok"}`, 95, 94),
      counter(`pallas_send_message_total{${agentNamed("p")},outcome="error"}`, 3, 3),
      counter(`pallas_refused_total{${agentNamed("p")},reason="concurrent"}`, 2, 2),
      counter(`pallas_refused_total{${agentNamed("p")},reason="queued"}`, 1, 1),
      counter(`pallas_refused_total{${agentNamed("p")},reason="memory"}`, 2, 3),
    ],
  },
  {
    alert: "PallasAgentSlow",
    series: [
      counter(`pallas_send_message_duration_seconds_bucket{${agentNamed("n")},le="30"}`, 90, 90),
      counter(`pallas_send_message_duration_seconds_bucket{${agentNamed("n")},le="60"}`, 95, 94),
      counter(`pallas_send_message_duration_seconds_bucket{${agentNamed("n")},le="90"}`, 100, 100),
      counter(`pallas_send_message_duration_seconds_bucket{${agentNamed("n")},le="+Inf"}`, 100, 100),
    ],
  },
  {
    alert: "PallasTokenBurn",
    // A day ago as many: no rise.
    series: [counter(tokensOf("burning"), 500 * 60, 501 * 60)],
    quietMinutes: 26 * 60,
  },
  {
    alert: "PallasTokenSpike",
    series: [counter(tokensOf("rising"), 2 * 60, 11 * 60)],
    quietMinutes: 26 * 60,
  },
];

function wantedGateway(instance: string): string {
  return `pallas_gateway_spec_replicas{${registry},namespace="agents",pallas_instance="${instance}"}`;
}

function proxiedBy(instance: string, outcome: string): string {
  return `pallas_gateway_proxied_total{${gatewayOf(instance)},route="agent",agent="u",outcome="${outcome}"}`;
}

function tokensOf(instance: string): string {
  return `pallas_llm_tokens_total{namespace="agents",pallas_instance="${instance}",agent="o",model="m",kind="output"}`;
}

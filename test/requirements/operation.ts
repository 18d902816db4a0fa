/**
 * What those who run Pallas can rely on: metrics (MET), the operator (OPR), logs (LOG), the command line (CLI), security
 * (SEC).
 */
import type { Requirements } from "./requirement.ts";

export const operationRequirements: Requirements = {
  "MET-1": {
    promise: "The registry's /metrics has its own series and those of every pod; a hung pod costs only its own.",
    shown: [
      "registry/metrics/routes.test.ts",
      "registry/metrics/exposition.test.ts",
      "registry/polling/poller.test.ts",
      "registry/metrics/merge.test.ts",
      "test/integration/registry-expositions.test.ts",
    ],
  },
  "MET-2": {
    promise: "Series have the published names and labels, so that existing queries and alerts work unchanged.",
    shown: [
      "agent-runtime/admin.test.ts",
      "agent-runtime/metrics.test.ts",
      "registry/metrics/merge.test.ts",
      "registry/metrics/routes.test.ts",
      "test/integration/registry-expositions.test.ts",
      "test/monitoring/reference-queries.test.ts",
      "test/chart/chart.test.ts",
    ],
  },
  "MET-3": {
    promise: "Buckets reach 30 minutes, and no token is counted twice.",
    shown: ["agent-runtime/model/ai-sdk.test.ts", "agent-runtime/metrics.test.ts", "test/monitoring/alerts.test.ts"],
  },
  "MET-4": {
    promise: "The operator's metrics have the names of controller-runtime.",
    shown: [
      "lib/kube/controller.test.ts",
      "lib/kube/metrics.test.ts",
      "test/integration/operator-health.test.ts",
      "test/integration/registry-expositions.test.ts",
    ],
  },
  "MET-5": {
    promise: "Agents are scraped by the registry or by monitors, never both, and alerts and a dashboard ship with it.",
    shown: [
      "registry/metrics/routes.test.ts",
      "test/monitoring/alerts.test.ts",
      "test/monitoring/dashboard.test.ts",
      "test/integration/prometheus.test.ts",
      "test/chart/chart.test.ts",
    ],
  },
  "MET-6": {
    promise: "Traces go to an OTLP endpoint when one is set, across agents.",
    shown: [
      "agent-runtime/telemetry/telemetry.test.ts",
      "agent-runtime/telemetry/collector-fault.test.ts",
      "agent-runtime/telemetry/settings.test.ts",
      "agent-runtime/telemetry/process.test.ts",
      "lib/mcp/trace-context.test.ts",
      "plan/egress.test.ts",
      "test/bundle.test.ts",
    ],
  },

  "OPR-1": {
    promise: "Each agent and each instance gets its children, owned by it, in its namespace.",
    shown: [
      "test/integration/operator.test.ts",
      "test/integration/operator-children.test.ts",
      "operator/render/render.test.ts",
      "crds/names.test.ts",
    ],
  },
  "OPR-2": {
    promise: "A steady state makes no write, and only what an agent uses rolls it.",
    shown: [
      "test/integration/operator.test.ts",
      "test/integration/faults-fields.test.ts",
      "test/integration/faults-actors.test.ts",
      "lib/kube/apply.test.ts",
      "plan/parse-watched.test.ts",
      "operator/other-release.test.ts",
      "operator/render/render.test.ts",
      "operator/agent/run-configs.test.ts",
      "test/integration/run-configs.test.ts",
      "test/e2e/rotation.test.ts",
    ],
  },
  "OPR-3": {
    promise: "Conditions, reasons and messages say the state and the cure in the form that tools judge health by.",
    shown: [
      "test/integration/operator.test.ts",
      "test/integration/faults-writes.test.ts",
      "test/integration/refused-writes.test.ts",
      "operator/summary.test.ts",
      "operator/agent/reconcile.test.ts",
      "operator/status.test.ts",
      "crds/conditions.test.ts",
    ],
    missing: "the health checks of Flux, Helm and Argo CD",
  },
  "OPR-4": {
    promise: "An agent's Deployment waits for those it depends on, and a cycle is refused by name.",
    shown: ["test/integration/operator.test.ts", "plan/order.test.ts", "test/e2e/rotation.test.ts"],
  },
  "OPR-5": {
    promise: "Children come back when deleted or edited, foreign objects stay untouched, and deletion leaves nothing.",
    shown: [
      "test/integration/operator.test.ts",
      "operator/hand-edits.test.ts",
      "test/integration/operator-children.test.ts",
      "test/integration/operator-hand-edits.test.ts",
      "test/integration/kube-comparison.test.ts",
      "test/integration/faults-actors.test.ts",
      "test/integration/faults-stale.test.ts",
      "lib/kube/apply.test.ts",
      "test/e2e/rotation.test.ts",
    ],
  },
  "OPR-6": {
    promise: "Two replicas elect a leader, and the other takes over within 17 s.",
    shown: [
      "test/integration/operator-election.test.ts",
      "test/integration/kube-election.test.ts",
      "test/integration/faults-election.test.ts",
      "test/integration/faults-clocks.test.ts",
      "lib/kube/election.test.ts",
      "lib/kube/fence.test.ts",
      "lib/kube/connector.test.ts",
      "test/e2e/disruption.test.ts",
    ],
  },
  "OPR-7": {
    promise: "No fault of the API server or the network ends the operator or leaves it behind for long.",
    shown: [
      "test/integration/faults-watch.test.ts",
      "test/integration/faults-silence.test.ts",
      "test/integration/faults-start.test.ts",
      "test/integration/faults-outage.test.ts",
      "test/integration/faults-connections.test.ts",
      "test/integration/faults-credentials.test.ts",
      "test/integration/faults-stale.test.ts",
      "test/integration/faults-writes.test.ts",
      "test/integration/faults-crash.test.ts",
      "lib/kube/election.test.ts",
      "lib/kube/reflector.test.ts",
      "lib/kube/reflector-stream.test.ts",
      "lib/kube/kernel-properties.test.ts",
      "lib/kube/owner-guard.test.ts",
    ],
    missing: "recovery within 10 s where a watch falls silent: it takes 71 s",
  },
  "OPR-8": {
    promise: "At 2,000 agents and 10 edits a second a change is taken in within 5 s, with few writes.",
    shown: ["lib/kube/kernel.test.ts", "lib/kube/source.test.ts"],
    missing: "a test of the times: make bench measures them, docs/benchmarks.md has the figures",
  },
  "OPR-9": {
    promise: "The operator's rights name no Secret and no wildcard, and are exactly what it uses.",
    shown: [
      "test/rights/whole-run.test.ts",
      "test/integration/operator-rights.test.ts",
      "test/integration/registry.test.ts",
      "operator/rights.test.ts",
      "operator/render/render.test.ts",
      "test/e2e/rights.test.ts",
      "test/chart/chart.test.ts",
      "test/chart/install.test.ts",
      "test/chart/security-page.test.ts",
    ],
  },
  "OPR-10": {
    promise: "kubectl scale and autoscalers act on the agent, and replicas need a scope that allows them.",
    shown: [
      "test/integration/operator.test.ts",
      "test/integration/faults-actors.test.ts",
      "plan/accept.test.ts",
      "operator/agent/run-configs.test.ts",
      "test/integration/run-configs.test.ts",
      "test/e2e/scaling.test.ts",
      "agent-runtime/several-pods.test.ts",
    ],
    missing: "a shared session store",
  },
  "OPR-11": {
    promise: "A new release takes over what the last one made, and rolls agents at a set pace, until as many failed.",
    shown: [
      "test/integration/operator-upgrade.test.ts",
      "operator/rollouts/pace-image.test.ts",
      "operator/rollouts/budget.test.ts",
      "operator/rollouts/pacing-property.test.ts",
      "operator/rollouts/waiting.test.ts",
      "operator/render/render.test.ts",
      "test/e2e/upgrade.test.ts",
    ],
    missing: "run configurations read by a runtime one minor older",
  },

  "LOG-1": {
    promise: "Logs are JSON lines of one form, at a level that a variable sets.",
    shown: [
      "lib/process/log.test.ts",
      "lib/process/library-output.test.ts",
      "agent-runtime/main.test.ts",
      "registry/app.test.ts",
    ],
  },
  "LOG-2": {
    promise: "Pods log to standard output; local mode keeps rotated files and shows short lines.",
    shown: ["cli/up/child-output.test.ts", "test/integration/local-mode.test.ts"],
  },
  "LOG-3": {
    promise: "Every downstream failure is logged with its stack, every forwarded token without the token.",
    shown: [
      "agent-runtime/bearer.test.ts",
      "agent-runtime/tools/downstream.test.ts",
      "test/integration/bearer.test.ts",
    ],
  },

  "CLI-1": {
    promise: "pallas up runs the same manifests without a cluster, in order, follows edits, and stops cleanly.",
    shown: [
      "test/integration/local-mode.test.ts",
      "cli/up/runner.test.ts",
      "cli/up/desired.test.ts",
      "cli/up/reports.test.ts",
      "cli/up/remembered-ports.test.ts",
      "test/integration/terminal.test.ts",
      "test/bundle.test.ts",
    ],
  },
  "CLI-2": { promise: "pallas agent runs a single agent.", shown: ["test/integration/single-agent.test.ts"] },
  "CLI-3": {
    promise: "pallas import turns an existing project into manifests and says what it left.",
    shown: [
      "cli/import/import.test.ts",
      "cli/import/odd-projects.test.ts",
      "cli/import/never-leaks.test.ts",
      "cli/import/limits.test.ts",
      "cli/import/model-name.test.ts",
      "cli/import/python/evaluate.test.ts",
      "test/integration/import.test.ts",
    ],
  },
  "CLI-4": {
    promise: "pallas chat talks to an agent through the registry, with live progress.",
    shown: [
      "test/integration/chat.test.ts",
      "test/integration/terminal.test.ts",
      "cli/chat/conversation.test.ts",
      "cli/plain-text.test.ts",
    ],
  },
  "CLI-5": { promise: "Approvals, policies and tool search are at hand in a terminal.", shown: "open" },

  "SEC-1": {
    promise: "Every pod meets Pod Security restricted, and agents' pods hold no ServiceAccount token.",
    shown: [
      "operator/render/render.test.ts",
      "test/integration/pod-security.test.ts",
      "test/e2e/quickstart.test.ts",
      "test/e2e/images.test.ts",
      "test/chart/install.test.ts",
      "test/chart/linter.test.ts",
      "test/chart/security-page.test.ts",
    ],
  },
  "SEC-2": {
    promise: "No reference crosses a namespace, and authors of agents choose nothing that could widen their rights.",
    shown: [
      "plan/check.test.ts",
      "operator/render/render.test.ts",
      "plan/accept-images.test.ts",
      "test/integration/attacks.test.ts",
      "test/rights/whole-run.test.ts",
      "test/chart/admission.test.ts",
      "test/chart/chart.test.ts",
      "plan/author-limits.test.ts",
      "plan/limit-variables.test.ts",
    ],
  },
  "SEC-3": {
    promise: "A NetworkPolicy per agent, and one per registry, lets in and out only what is needed.",
    shown: [
      "operator/render/network-policy.test.ts",
      "operator/render/registry-network-policy.test.ts",
      "operator/instance/reconcile.test.ts",
      "test/integration/operator-children.test.ts",
      "plan/egress.test.ts",
      "plan/author-limits.test.ts",
      "test/e2e/network-policy.test.ts",
    ],
  },
  "SEC-4": {
    promise: "Only listed Hosts and Origins are served, and mutating routes need a token.",
    shown: ["lib/process/http-guard.test.ts", "registry/app.test.ts", "agent-runtime/admin.test.ts"],
    missing: "mutating routes and WebSockets, which are not there yet",
  },
  "SEC-5": {
    promise: "What users write and open leads to no link-local or metadata address, not by a redirect either.",
    shown: [
      "lib/mcp/safe-fetch.test.ts",
      "lib/mcp/probe.test.ts",
      "agent-runtime/auth/auth.test.ts",
      "plan/accept.test.ts",
      "plan/accept-peers.test.ts",
      "operator/render/network-policy.test.ts",
      "test/refused-addresses.test.ts",
    ],
  },
  "SEC-6": {
    promise: "Bad input of any size or shape is answered with a clear error and harms nothing.",
    shown: [
      "lib/mcp/request-body.test.ts",
      "lib/process/http-server.test.ts",
      "registry/app.test.ts",
      "registry/status/page.test.ts",
      "registry/health/routes.test.ts",
      "operator/health/ask-health.test.ts",
      "test/integration/hostile-bodies.test.ts",
      "test/integration/registry-hostile.test.ts",
      "test/integration/registry-slow-clients.test.ts",
    ],
  },
  "SEC-7": {
    promise: "What comes from outside is handled in time linear in its size.",
    shown: ["test/linear-time.test.ts"],
    missing: "the agent runtime: foreign schemas, a model's arguments, answers of models and servers",
  },
  "SEC-8": {
    promise: "A folder of manifests is data: nothing in it is run, and no variable of a process is changed.",
    shown: "open",
  },
};

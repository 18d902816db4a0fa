// An agent's status on this machine, in the words that it has in a cluster (OPR-3, HLT-6): pure.
import type { AgentStatus } from "../../crds/agent.ts";
import { agentReadyParts, type AgentConditionType, type Reason } from "../../crds/conditions.ts";
import type { Condition } from "../../crds/definition.ts";
import type { HealthPart, HealthReport, HealthStatus } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";
import { splitModel } from "../../plan/models.ts";
import type { ProcessState } from "./board.ts";
import type { ListedAgent } from "./desired.ts";

export interface StatusInput {
  listed: ListedAgent;
  /** provider.model-name */
  model: string;
  state: ProcessState | undefined;
  /** Dependencies that are not ready. */
  waitsFor: readonly string[];
  /** Why it has no port. */
  portProblem?: string | undefined;
  previous?: AgentStatus | undefined;
  /** RFC 3339, UTC. */
  now: string;
}

interface Finding {
  type: AgentConditionType;
  status: Condition["status"];
  reason: Reason;
  message: string;
}

/** The status; a condition whose status is as before keeps its time. */
export function renderAgentStatus(input: StatusInput): AgentStatus {
  const { listed, state, previous, now } = input;
  const findings = [...parts(input), ...healthFindings(input)];
  const invalid = findings.find(
    ({ type, status }) => agentReadyParts.some((part) => part === type) && status !== "True",
  );
  const ready: Finding =
    invalid === undefined ? finding("Ready", true, "Ready", "") : finding("Ready", false, "NotReady", invalid.message);
  const conditions = [...findings, ready].map((found): Condition => {
    const before = previous?.conditions?.find(({ type }) => type === found.type);
    return { ...found, lastTransitionTime: before?.status === found.status ? before.lastTransitionTime : now };
  });
  const isReady = invalid === undefined;
  const health = healthOf(state);
  return {
    specChangedAt: listed.specChangedAt,
    conditions,
    ...defined({ health, url: listed.url }),
    replicas: state?.pid === undefined ? 0 : 1,
    readyReplicas: isReady ? 1 : 0,
  };
}

const finding = (type: AgentConditionType, holds: boolean, reason: Reason, message: string): Finding => ({
  type,
  status: holds ? "True" : "False",
  reason,
  message,
});

function parts({ listed, state, waitsFor, portProblem }: StatusInput): Finding[] {
  const { problem } = listed;
  return [
    finding("Accepted", true, "Accepted", ""),
    problem === undefined
      ? finding("ReferencesResolved", true, "Resolved", "")
      : finding("ReferencesResolved", false, problem.reason, problem.message),
    waitsFor.length === 0
      ? finding("DependenciesReady", true, "DependenciesReady", "")
      : finding("DependenciesReady", false, "WaitingForDependencies", `waits for ${waitsFor.join(", ")}`),
    portProblem === undefined ? availability(state) : finding("Available", false, "Unavailable", portProblem),
  ];
}

function availability(state: ProcessState | undefined): Finding {
  switch (state?.phase) {
    case "ready":
      return finding("Available", true, "Available", "");
    case "starting":
      return finding("Available", false, "Progressing", state.detail ?? "its process is starting");
    case "failing":
      return finding("Available", false, "Unavailable", state.detail ?? "its process does not start");
    case "stopping":
      return finding("Available", false, "Unavailable", "its process is stopping");
    case "waiting":
    case undefined:
      return finding("Available", false, "Unavailable", state?.detail ?? "it is not running");
  }
}

/** Health is beside readiness and never part of it. An agent that cannot be asked counts as error (HLT-6). */
function healthOf(state: ProcessState | undefined): HealthStatus | undefined {
  if (state?.phase === "failing" || state?.health === "unreachable") return "error";
  return state?.health?.status;
}

function healthFindings({ state, model }: StatusInput): Finding[] {
  const report = state?.health;
  if (report === undefined || report === "unreachable") {
    const message = report === undefined ? "its health has not been read" : "it does not answer";
    return [notChecked("ModelHealthy", message), notChecked("DownstreamsReachable", message)];
  }
  const { provider } = splitModel(model);
  return [
    partsFinding(
      "ModelHealthy",
      Object.entries(report.providers).filter(([name]) => name === provider),
    ),
    partsFinding("DownstreamsReachable", Object.entries(report.downstreams)),
  ];
}

const notChecked = (type: AgentConditionType, message: string): Finding => ({
  type,
  status: "Unknown",
  reason: "NotChecked",
  message,
});

function partsFinding(type: AgentConditionType, entries: [string, HealthPart][]): Finding {
  const bad = entries.filter(([, { ok }]) => !ok);
  if (bad.length === 0) return finding(type, true, "Succeeded", "");
  const told = bad.map(([name, { detail }]) => (detail === undefined ? name : `${name}: ${detail}`));
  return finding(type, false, "Unavailable", told.join("; "));
}

/** Equal but for the times: whether writing it again would tell nobody anything. */
export const isSameHealth = (a: HealthReport | "unreachable" | undefined, b: HealthReport | "unreachable"): boolean =>
  JSON.stringify(timeless(a)) === JSON.stringify(timeless(b));

const timeless = (report: HealthReport | "unreachable" | undefined): unknown => {
  if (report === undefined || report === "unreachable") return report;
  const strip = (entries: Record<string, HealthPart>) =>
    Object.entries(entries).map(([name, { ok, detail }]) => ({ name, ok, detail }));
  const { status, message, providers, downstreams } = report;
  return { status, message, providers: strip(providers), downstreams: strip(downstreams) };
};

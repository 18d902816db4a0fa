// From what an agent says of itself to what its resource says: status.health and two conditions (HLT-6). Pure. What
// moves with every question (durations) makes no new verdict, so that nothing is written for it.
import type { Reason } from "../../crds/conditions.ts";
import type { HealthPart, HealthReport, HealthStatus } from "../../crds/health.ts";
import { listNames } from "../../plan/validation-error.ts";
import type { ConditionStatus } from "../conditions.ts";

export interface Finding {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

export interface HealthVerdict {
  readonly health: HealthStatus;
  /** The agent's own sentence; empty when all is well. */
  readonly message: string;
  readonly modelHealthy: Finding;
  readonly downstreamsReachable: Finding;
}

/** Parts that are not well, in a fixed order: `openai: model 'x' not found; google: …`. */
function renderFailing(parts: Readonly<Record<string, HealthPart>>): string {
  const failing = Object.entries(parts).filter(([, { ok }]) => !ok);
  return failing
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { detail }]) => (detail === undefined ? name : `${name}: ${detail}`))
    .join("; ");
}

const namesOf = (parts: object): string => listNames(Object.keys(parts).toSorted());

function judgeModel({ status, message = "", providers, downstreams }: HealthReport): Finding {
  const failing = renderFailing(providers);
  if (failing !== "") return { status: "False", reason: "ProviderUnhealthy", message: failing };
  if (status === "error") return { status: "False", reason: "AgentFaulty", message };
  // What degrades it is neither a provider nor a downstream: slow answers, an unset variable.
  const remark = status === "degraded" && renderFailing(downstreams) === "" ? message : "";
  return { status: "True", reason: "Healthy", message: remark === "" ? `healthy: ${namesOf(providers)}` : remark };
}

function judgeDownstreams({ downstreams }: HealthReport): Finding {
  const failing = renderFailing(downstreams);
  if (failing !== "") return { status: "False", reason: "DownstreamsUnreachable", message: failing };
  const reached = Object.keys(downstreams).length === 0 ? "uses none" : `reached: ${namesOf(downstreams)}`;
  return { status: "True", reason: "Reachable", message: reached };
}

export const judgeReport = (report: HealthReport): HealthVerdict => ({
  health: report.status,
  message: report.message ?? "",
  modelHealthy: judgeModel(report),
  downstreamsReachable: judgeDownstreams(report),
});

/** Of an agent that serves calls but does not answer us. */
export function judgeSilence(error: Error): HealthVerdict {
  const message = `its health cannot be read: ${error.message}`;
  const unknown = { status: "Unknown", reason: "AgentUnreachable", message } as const;
  return { health: "error", message, modelHealthy: unknown, downstreamsReachable: unknown };
}

/** Whether two verdicts say the same but for durations. */
export const isSameVerdict = (a: HealthVerdict | undefined, b: HealthVerdict | undefined): boolean =>
  withoutDurations(a) === withoutDurations(b);

const withoutDurations = (verdict: HealthVerdict | undefined): string =>
  JSON.stringify(verdict ?? null).replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, "…");

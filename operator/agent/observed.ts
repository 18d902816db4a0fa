// What is observed of an agent's Deployment and health as conditions, and the status around them. Pure: the reconciler
// writes what this returns.
import type { AgentStatus } from "../../crds/agent.ts";
import type { AgentConditionType } from "../../crds/conditions.ts";
import { labels } from "../../crds/names.ts";
import { defined } from "../../lib/process/defined.ts";
import type { WatchedAgent } from "../../plan/parse-watched.ts";
import { clusterAgentUrl } from "../../plan/urls.ts";
import type { HealthStatus } from "../../crds/health.ts";
import type { ConditionSet } from "../conditions.ts";
import type { Failure } from "../failure.ts";
import type { HealthVerdict } from "../health/verdict.ts";
import type { Rollout } from "../rollout.ts";
import { observeSpecChange } from "../spec-changed.ts";

type Conditions = ConditionSet<AgentConditionType>;

/** What was not looked at in this reconcile is Unknown, never left at what an earlier spec had. */
export function markUnchecked(conditions: Conditions, checked: ReadonlySet<AgentConditionType>): void {
  for (const type of ["ReferencesResolved", "DependenciesReady"] as const) {
    if (!checked.has(type)) {
      conditions.set(type, "Unknown", "NotChecked", "checked as soon as the conditions before it are True");
    }
  }
}

/** A pod that is not ready often says itself why; a failed write says it best. */
export function markAvailable(
  conditions: Conditions,
  rollout: Rollout | undefined,
  verdict: HealthVerdict | undefined,
  failure: Failure | undefined,
): void {
  if (failure) {
    conditions.set("Available", rollout?.available === true ? "True" : "False", failure.reason, failure.message);
    return;
  }
  if (!rollout) {
    conditions.set("Available", "False", "Unavailable", "it has no Deployment yet");
    return;
  }
  const complaint = !rollout.available && verdict?.health === "error" ? `; the agent says: ${verdict.message}` : "";
  const status = rollout.available ? "True" : "False";
  conditions.set("Available", status, rollout.reason, `${rollout.message}${complaint}`);
}

/**
 * ModelHealthy and DownstreamsReachable, beside Ready and no part of it (HLT-6). Returns what becomes of status.health:
 * what is known of an agent that serves stays until it is asked again, so that a new operator writes nothing.
 */
export function markHealth(
  conditions: Conditions,
  rollout: Rollout | undefined,
  verdict: HealthVerdict | undefined,
  before: HealthStatus | undefined,
): HealthStatus | undefined {
  const hasPods = rollout !== undefined && rollout.reason !== "ScaledToZero";
  if (hasPods && verdict) {
    for (const [type, { status, reason, message }] of [
      ["ModelHealthy", verdict.modelHealthy],
      ["DownstreamsReachable", verdict.downstreamsReachable],
    ] as const) {
      conditions.set(type, status, reason, message);
    }
    return verdict.health;
  }
  const keeps = hasPods && rollout.available;
  for (const type of ["ModelHealthy", "DownstreamsReachable"] as const) {
    if (keeps) conditions.keep(type);
    else conditions.set(type, "Unknown", "NotChecked", "not checked yet");
  }
  return keeps ? before : undefined;
}

export function renderAgentStatus(
  live: WatchedAgent,
  conditions: Conditions,
  rollout: Rollout | undefined,
  health: HealthStatus | undefined,
  observedGeneration: number,
): AgentStatus {
  const { name, namespace } = live.metadata;
  const spec = live.parsed.ok ? live.parsed.value.spec : undefined;
  return {
    observedGeneration,
    ...observeSpecChange(live.metadata, live.status, spec, conditions.time),
    conditions: conditions.all,
    ...defined({ health }),
    url: clusterAgentUrl(name, namespace),
    replicas: rollout?.replicas ?? 0,
    readyReplicas: rollout?.readyReplicas ?? 0,
    selector: `${labels.agent}=${name}`,
  };
}

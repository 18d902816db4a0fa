// The conditions that sum up the others, and the status around them. Pure: the reconciler writes what this returns.
import type { AgentStatus } from "../../crds/agent.ts";
import { agentReadyParts, type AgentConditionType, type Reason } from "../../crds/conditions.ts";
import { labels } from "../../crds/names.ts";
import { clusterAgentUrl } from "../../plan/urls.ts";
import type { HealthStatus } from "../../crds/health.ts";
import type { ConditionSet } from "../conditions.ts";
import type { HealthVerdict } from "../health/verdict.ts";
import type { Rollout } from "../rollout.ts";
import type { WatchedAgent } from "../resources.ts";

type Conditions = ConditionSet<AgentConditionType>;

/** What was not looked at in this reconcile is Unknown, never left at what an earlier spec had. */
export function markUnchecked(conditions: Conditions, checked: ReadonlySet<AgentConditionType>): void {
  for (const type of ["ReferencesResolved", "DependenciesReady"] as const) {
    if (!checked.has(type))
      conditions.set(type, "Unknown", "NotChecked", "looked at once the conditions before it are True");
  }
}

/** A pod that is not ready often says itself why. */
export function markAvailable(
  conditions: Conditions,
  rollout: Rollout | undefined,
  verdict: HealthVerdict | undefined,
): void {
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
    else conditions.set(type, "Unknown", "NotChecked", "not looked at yet");
  }
  return keeps ? before : undefined;
}

/**
 * Ready is the conjunction of its parts; Reconciling and Stalled are for kstatus (OPR-3).
 * @param waiting why the Deployment is held back, if it is (OPR-11)
 */
export function summarise(conditions: Conditions, rollout: Rollout | undefined, waiting?: string): void {
  const failing = agentReadyParts.find((type) => conditions.status(type) !== "True");
  if (failing === undefined) conditions.set("Ready", "True", "Ready", "serves calls");
  else conditions.set("Ready", "False", "NotReady", `${failing}: ${conditions.message(failing)}`);

  const faulty = (["Accepted", "ReferencesResolved"] as const).find((type) => conditions.status(type) === "False");
  const stuck = faulty ?? (conditions.all.some(isConflict) ? "Available" : undefined);
  if (stuck) conditions.set("Stalled", "True", "Faulty", `needs a change by hand: ${conditions.message(stuck)}`);
  else conditions.set("Stalled", "False", "Succeeded", "");

  const moving = !stuck && (rollout === undefined || rollout.moving);
  if (waiting !== undefined && !stuck) conditions.set("Reconciling", "True", "WaitingForRollout", waiting);
  else if (moving)
    conditions.set("Reconciling", "True", "Reconciling", rollout?.message ?? conditions.message(failing ?? "Ready"));
  else conditions.set("Reconciling", "False", "Succeeded", "");
}

const isConflict = ({ reason }: { reason: string }): boolean => reason === ("NameConflict" satisfies Reason);

export function renderAgentStatus(
  live: WatchedAgent,
  conditions: Conditions,
  rollout: Rollout | undefined,
  health: HealthStatus | undefined,
): AgentStatus {
  const { name, namespace, generation = 0, creationTimestamp } = live.metadata;
  const before = live.status;
  const firstSeen = before?.observedGeneration === undefined;
  const specChanged = before?.observedGeneration !== generation;
  const specChangedAt = firstSeen ? creationTimestamp : specChanged ? conditions.time : before.specChangedAt;
  return {
    observedGeneration: generation,
    ...(specChangedAt === undefined ? {} : { specChangedAt }),
    conditions: conditions.all,
    ...(health === undefined ? {} : { health }),
    url: clusterAgentUrl(name, namespace),
    replicas: rollout?.replicas ?? 0,
    readyReplicas: rollout?.readyReplicas ?? 0,
    selector: `${labels.agent}=${name}`,
  };
}

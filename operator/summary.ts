// Ready, Reconciling and Stalled, for agents, tool servers and instances alike (OPR-3): what `kubectl wait`, kstatus, Flux, Helm and
// Argo CD judge by. Reconciling is what goes on or heals by itself, Stalled what needs somebody's hand; never both. A
// write that failed leaves the resource neither Ready nor handled, whatever its pods do.
import type { ValidationReason, Reason } from "../crds/conditions.ts";
import type { Condition } from "../crds/definition.ts";
import type { ConditionSet } from "./conditions.ts";
import type { Failure } from "./failure.ts";
import type { Rollout } from "./rollout.ts";

type SummaryType = "Ready" | "Reconciling" | "Stalled";

export interface Summary<Part extends string> {
  /** The conditions whose conjunction is Ready, in the order in which they are judged. */
  readonly parts: readonly Part[];
  readonly rollout: Rollout | undefined;
  /** A write of this reconcile that failed. */
  readonly failure: Failure | undefined;
  /** Why the Deployment is held back, if it is (OPR-11). */
  readonly waiting?: string | undefined;
  /** What it does when it is Ready and has pods. */
  readonly serves: string;
}

/** References to other resources, which may be applied a moment later: nothing of this one needs a change. */
const mayYetCome: ReadonlySet<string> = new Set<ValidationReason>([
  "InstanceNotFound",
  "AgentNotFound",
  "ServerNotFound",
  "PolicyNotFound",
  "PolicyNotAccepted",
]);
/** Reasons of a False part that no change by hand is needed for. */
const passing: ReadonlySet<string> = new Set<Reason>([
  "WaitingForDependencies",
  "DependencyNotReady",
  "Progressing",
  "Unavailable",
  // Its bridge goes on trying.
  "ServerStarting",
  "ServerDown",
]);

const isStuck = ({ status, reason }: Condition): boolean =>
  status === "False" && !mayYetCome.has(reason) && !passing.has(reason);

/** What somebody has to mend, in a sentence; undefined when the resource goes on by itself. */
function findObstacle(judged: readonly Condition[], failure: Failure | undefined, rollout: Rollout | undefined) {
  if (failure) return failure.reason === "NameConflict" ? failure.message : undefined;
  const stuck = judged.find(isStuck);
  if (stuck) return stuck.message;
  return rollout?.gaveUp === true ? rollout.message : undefined;
}

function findProgress<Part extends string>(
  { rollout, failure, waiting }: Summary<Part>,
  failing: Condition | undefined,
): { reason: Reason; message: string } | undefined {
  if (failure) return { reason: failure.reason, message: `tried again: ${failure.message}` };
  if (waiting !== undefined) return { reason: "WaitingForRollout", message: waiting };
  if (rollout?.moving === true) return { reason: "Reconciling", message: rollout.message };
  // Pods that are all there and not ready are waited for too.
  return failing && { reason: "Reconciling", message: failing.message };
}

/**
 * Sets the three summaries. Returns whether this generation counts as handled, which status.observedGeneration then
 * says: it does unless a write failed that is tried again by itself.
 */
export function summarise<Part extends string>(
  conditions: ConditionSet<Part | SummaryType>,
  summary: Summary<Part>,
): boolean {
  const { parts, rollout, failure, serves } = summary;
  const judged = parts.map((type) => conditions.get(type)).filter((condition) => condition !== undefined);
  const failing = judged.find(({ status }) => status !== "True");
  if (failure) conditions.set("Ready", "False", failure.reason, failure.message);
  else if (failing) conditions.set("Ready", "False", "NotReady", `${failing.type}: ${failing.message}`);
  else conditions.set("Ready", "True", "Ready", rollout?.reason === "ScaledToZero" ? rollout.message : serves);

  const obstacle = findObstacle(judged, failure, rollout);
  if (obstacle === undefined) conditions.set("Stalled", "False", "Succeeded", "");
  else conditions.set("Stalled", "True", "Faulty", `needs a change by hand: ${obstacle}`);

  const progress = obstacle === undefined ? findProgress(summary, failing) : undefined;
  if (progress) conditions.set("Reconciling", "True", progress.reason, progress.message);
  else conditions.set("Reconciling", "False", "Succeeded", "");
  return failure === undefined || obstacle !== undefined;
}

// What a Deployment tells about the pods it stands for: whether they serve, whether it is still moving, whether it
// gave up. Shared by agents and registries.
import type { Reason } from "../crds/conditions.ts";
import type { LiveDeployment } from "./resources.ts";

export interface Rollout {
  available: boolean;
  reason: Extract<Reason, "Available" | "Progressing" | "Unavailable" | "ScaledToZero">;
  message: string;
  /** True while the newest template is not yet what all pods run. */
  moving: boolean;
  /** True where the newest template made no progress in its time, whether or not older pods still serve. */
  gaveUp: boolean;
  replicas: number;
  readyReplicas: number;
}

const hasSeenAll = ({ metadata, status }: LiveDeployment): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);

/** A paused Deployment may still say so of the time before, but it was stopped and has not given up. */
export function hasGivenUp(live: LiveDeployment): boolean {
  const { spec, status } = live;
  if (!hasSeenAll(live) || spec?.paused === true || spec?.replicas === 0) return false;
  return status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded") ?? false;
}

export function observeRollout(live: LiveDeployment): Rollout {
  const wanted = live.spec?.replicas ?? 1;
  const {
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    conditions = [],
  } = live.status ?? {};
  const moving = !hasSeenAll(live) || updatedReplicas < wanted || replicas > wanted || availableReplicas < wanted;
  const gaveUp = hasGivenUp(live);
  const failing = conditions.find(({ type, status: state }) => type === "ReplicaFailure" && state === "True");
  const counts = { moving, gaveUp, replicas, readyReplicas };
  if (wanted === 0) {
    return { ...counts, available: true, reason: "ScaledToZero", message: "scaled to zero: no pods run" };
  }
  const available = `${availableReplicas} of ${wanted} pods are available`;
  const message = gaveUp
    ? `${available}, and the newest make no progress; look at the pods' events with kubectl describe`
    : available;
  if (availableReplicas >= wanted) return { ...counts, available: true, reason: "Available", message };
  if (failing) {
    return {
      ...counts,
      available: false,
      reason: "Unavailable",
      message: `pods cannot be created: ${failing.message ?? ""}`,
    };
  }
  return { ...counts, available: availableReplicas > 0, reason: gaveUp ? "Unavailable" : "Progressing", message };
}

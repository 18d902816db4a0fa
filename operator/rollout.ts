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

export function observeRollout({ metadata, spec, status = {} }: LiveDeployment): Rollout {
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  const seen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const moving = !seen || updatedReplicas < wanted || replicas > wanted || availableReplicas < wanted;
  const gaveUp = seen && conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
  const failing = conditions.find(({ type, status: state }) => type === "ReplicaFailure" && state === "True");
  const counts = { moving, gaveUp, replicas, readyReplicas };
  if (wanted === 0)
    return { ...counts, available: true, reason: "ScaledToZero", message: "scaled to zero: no pods run" };
  const progress = `${availableReplicas} of ${wanted} pods are available`;
  if (availableReplicas >= wanted) return { ...counts, available: true, reason: "Available", message: progress };
  if (failing) {
    return {
      ...counts,
      available: false,
      reason: "Unavailable",
      message: `pods cannot be created: ${failing.message ?? ""}`,
    };
  }
  if (gaveUp) {
    const message = `${progress} and no progress is made; look at the pods' events with kubectl describe`;
    return { ...counts, available: availableReplicas > 0, reason: "Unavailable", message };
  }
  return { ...counts, available: availableReplicas > 0, reason: "Progressing", message: progress };
}

import { describe, expect, it } from "vitest";
import type { LiveDeployment } from "./resources.ts";
import { observeRollout } from "./rollout.ts";

const deployment = (
  replicas: number,
  status: NonNullable<LiveDeployment["status"]>,
  generation = 2,
): LiveDeployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "x", namespace: "agents", uid: "u", resourceVersion: "1", generation },
  spec: { replicas },
  status: { observedGeneration: generation, ...status },
});

describe("OPR-3 what a Deployment tells", () => {
  it("all pods available: Available and not moving", () => {
    const all = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
    expect(observeRollout(deployment(2, all))).toMatchObject({ available: true, reason: "Available", moving: false });
  });

  it("an old pod serves while the new one starts: available and moving", () => {
    const surge = { replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
    expect(observeRollout(deployment(1, surge))).toMatchObject({ available: true, moving: true });
  });

  it("a spec the controller has not seen yet: moving, whatever the counts say", () => {
    const stale = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    expect(observeRollout(deployment(1, stale))).toMatchObject({ moving: true });
  });

  it("no pod yet: Progressing with the count", () => {
    expect(observeRollout(deployment(1, {}))).toMatchObject({
      available: false,
      reason: "Progressing",
      message: "0 of 1 pods are available",
    });
  });

  it("the deadline passed: Unavailable, with where to look", () => {
    const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];
    const rollout = observeRollout(deployment(1, { replicas: 1, updatedReplicas: 1, conditions }));
    expect(rollout).toMatchObject({ available: false, reason: "Unavailable" });
    expect(rollout.message).toContain("kubectl describe");
  });

  it("pods refused by admission: Unavailable with the server's words", () => {
    const conditions = [{ type: "ReplicaFailure", status: "True", message: "exceeded quota" }];
    expect(observeRollout(deployment(1, { conditions })).message).toBe("pods cannot be created: exceeded quota");
  });

  it("scaled to zero: available, because that is what was asked", () => {
    expect(observeRollout(deployment(0, {}))).toMatchObject({ available: true, reason: "ScaledToZero", moving: false });
  });
});

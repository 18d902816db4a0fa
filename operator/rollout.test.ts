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

const deadlinePassed = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];

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

  it("one of two pods available: it serves, and is on its way", () => {
    const half = { replicas: 2, updatedReplicas: 2, availableReplicas: 1 };
    expect(observeRollout(deployment(2, half))).toMatchObject({ available: true, reason: "Progressing", moving: true });
  });

  it("the deadline passed: Unavailable, with where to look", () => {
    const rollout = observeRollout(deployment(1, { replicas: 1, updatedReplicas: 1, conditions: deadlinePassed }));
    expect(rollout).toMatchObject({ available: false, reason: "Unavailable", gaveUp: true });
    expect(rollout.message).toContain("kubectl describe");
  });

  it("the deadline passed while an old pod serves: it gave up, although it is available", () => {
    const counts = { replicas: 2, updatedReplicas: 1, availableReplicas: 1 };
    expect(observeRollout(deployment(1, { ...counts, conditions: deadlinePassed }))).toMatchObject({
      available: true,
      reason: "Available",
      message:
        "1 of 1 pods are available, and the newest make no progress; look at the pods' events with kubectl describe",
      gaveUp: true,
    });
  });

  it.each<[string, LiveDeployment]>([
    ["is on its way", deployment(1, { replicas: 1, updatedReplicas: 1 })],
    ["has a newer spec than its controller saw", deployment(1, { observedGeneration: 1, conditions: deadlinePassed })],
    ["is scaled to none", deployment(0, { conditions: deadlinePassed })],
    ["is paused", { ...deployment(1, { conditions: deadlinePassed }), spec: { replicas: 1, paused: true } }],
  ])("a Deployment that %s has not given up", (_, live) => {
    expect(observeRollout(live).gaveUp).toBe(false);
  });

  it("pods refused by admission: Unavailable with the server's words", () => {
    const conditions = [{ type: "ReplicaFailure", status: "True", message: "exceeded quota" }];
    expect(observeRollout(deployment(1, { conditions })).message).toBe("pods cannot be created: exceeded quota");
  });

  it("scaled to zero: available, because that is what was asked", () => {
    expect(observeRollout(deployment(0, {}))).toMatchObject({ available: true, reason: "ScaledToZero", moving: false });
  });
});

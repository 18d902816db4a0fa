import { describe, expect, it } from "vitest";
import { observeAgentDeployment, type RollingState } from "./rolling.ts";
import {
  carriedOut,
  gaveUp,
  gaveUpRecreated,
  liveDeployment,
  type LiveDeploymentOptions,
} from "./testing/live-deployment.ts";

const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const progressing = (reason: string) => ({ conditions: [{ type: "Progressing", reason }] });
const unmarked = (options: LiveDeploymentOptions) => liveDeployment("research", { ...options, previousImage: "" });

describe("OPR-11 a Deployment that is rolling", () => {
  it.each<[string, object, RollingState]>([
    ["all pods on the newest template and available", done, "settled"],
    ["a template that its controller has not seen", { ...done, observedGeneration: 1 }, "moving"],
    ["a pod that is not made yet", { ...done, updatedReplicas: 1 }, "moving"],
    ["an old pod that is still there", { ...done, replicas: 3 }, "moving"],
    [
      "new pods that are not available yet",
      { ...done, availableReplicas: 1, ...progressing("ReplicaSetUpdated") },
      "moving",
    ],
    [
      "a pod that failed after all was done",
      { ...done, availableReplicas: 1, ...progressing("NewReplicaSetAvailable") },
      "settled",
    ],
    ["no progress in its time", { ...done, updatedReplicas: 1, ...progressing("ProgressDeadlineExceeded") }, "gaveUp"],
    [
      "a new template after a rollout without progress",
      { ...done, observedGeneration: 1, ...progressing("ProgressDeadlineExceeded") },
      "moving",
    ],
    ["no status at all", {}, "moving"],
  ])("%s: %o is %s", (_, status, state) => {
    expect(observeAgentDeployment(unmarked({ replicas: 2, status }))?.state).toBe(state);
  });

  it.each([
    ["amid a rollout", {}],
    ["after one that gave up", gaveUp],
    ["at rest", carriedOut],
  ])("a paused one is paused, %s", (_, status) => {
    expect(observeAgentDeployment(liveDeployment("research", { paused: true, status }))?.state).toBe("paused");
  });

  it.each([
    ["no pod is available any more", 0, "moving"],
    ["some still are", 1, "settled"],
  ])("one that served with the image before, and all was done, but %s", (_, availableReplicas, state) => {
    const status = { ...done, availableReplicas, ...progressing("NewReplicaSetAvailable") };
    const live = liveDeployment("research", { image: "agent:2", replicas: 2, status });
    expect(observeAgentDeployment(live)?.state).toBe(state);
  });

  it("a rollout that gave up and was scaled to none is settled", () => {
    const status = { observedGeneration: 2, conditions: gaveUp.conditions };
    expect(observeAgentDeployment(liveDeployment("research", { replicas: 0, status }))?.state).toBe("settled");
  });

  it("is told only of agents, by the image of their own container", () => {
    const sidecar = liveDeployment("research", { image: "x:1", status: done, sidecar: "envoy:1" });
    expect(observeAgentDeployment(sidecar)?.image).toBe("x:1");
    expect(observeAgentDeployment(liveDeployment("registry", { component: "registry" }))).toBeUndefined();
  });

  it.each([
    ["an old pod", gaveUp, true],
    ["no pod", gaveUpRecreated, false],
  ])("serves when %s is available", (_, status, serves) => {
    expect(observeAgentDeployment(liveDeployment("research", { status }))?.serves).toBe(serves);
  });

  it("says with which image it served before", () => {
    expect(observeAgentDeployment(liveDeployment("research"))?.previousImage).toBe("agent:1");
    expect(observeAgentDeployment(unmarked({}))?.previousImage).toBeUndefined();
  });
});

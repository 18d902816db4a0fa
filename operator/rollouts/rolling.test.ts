import { describe, expect, it } from "vitest";
import { observeAgentDeployment } from "./rolling.ts";
import { liveDeployment } from "./testing/live-deployment.ts";

const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const progressing = (reason: string) => ({ conditions: [{ type: "Progressing", reason }] });

describe("OPR-11 a Deployment that is rolling", () => {
  it.each<[string, object, boolean]>([
    ["all pods on the newest template and available", done, false],
    ["a template that its controller has not seen", { ...done, observedGeneration: 1 }, true],
    ["a pod that is not made yet", { ...done, updatedReplicas: 1 }, true],
    ["an old pod that is still there", { ...done, replicas: 3 }, true],
    [
      "new pods that are not available yet",
      { ...done, availableReplicas: 1, ...progressing("ReplicaSetUpdated") },
      true,
    ],
    [
      "a pod that failed after all was done",
      { ...done, availableReplicas: 1, ...progressing("NewReplicaSetAvailable") },
      false,
    ],
    ["no progress in its time", { ...done, updatedReplicas: 1, ...progressing("ProgressDeadlineExceeded") }, false],
    [
      "a new template after a rollout without progress",
      { ...done, observedGeneration: 1, ...progressing("ProgressDeadlineExceeded") },
      true,
    ],
    ["no status at all", {}, true],
  ])("%s: %o is %s", (_, status, rolling) => {
    expect(observeAgentDeployment(liveDeployment("research", { replicas: 2, status }))?.rolling).toBe(rolling);
  });

  it("is told only of agents, by the image of their own container", () => {
    const sidecar = liveDeployment("research", { image: "x:1", status: done, sidecar: "envoy:1" });
    expect(observeAgentDeployment(sidecar)?.image).toBe("x:1");
    expect(observeAgentDeployment(liveDeployment("registry", { component: "registry" }))).toBeUndefined();
  });
});

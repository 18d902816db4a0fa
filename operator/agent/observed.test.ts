import { describe, expect, it } from "vitest";
import type { AgentConditionType } from "../../crds/conditions.ts";
import { ConditionSet } from "../conditions.ts";
import type { Failure } from "../failure.ts";
import type { HealthVerdict } from "../health/verdict.ts";
import type { Rollout } from "../rollout.ts";
import { markAvailable, markHealth, markUnchecked } from "./observed.ts";

const now = new Date("2026-11-21T12:00:00Z");
const serving: Rollout = {
  available: true,
  reason: "Available",
  message: "1 of 1",
  moving: false,
  gaveUp: false,
  replicas: 1,
  readyReplicas: 1,
};

describe("OPR-3 what was not looked at", () => {
  it("is Unknown, not what it was for an earlier spec", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 2, now);
    conditions.set("ReferencesResolved", "True", "Resolved", "");
    markUnchecked(conditions, new Set());
    expect(conditions.status("ReferencesResolved")).toBe("Unknown");
  });
});

describe("OPR-3 Available", () => {
  const available = (rollout: Rollout | undefined, failure?: Failure) => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    markAvailable(conditions, rollout, undefined, failure);
    const { status, reason } = conditions.get("Available") ?? {};
    return `${status} ${reason}`;
  };
  const failure: Failure = { reason: "ApiError", message: "refused", error: new Error("x") };

  it("tells of the pods, and of a write that failed why", () => {
    expect(available(serving)).toBe("True Available");
    expect(available(undefined)).toBe("False Unavailable");
    expect(available(serving, failure)).toBe("True ApiError");
    expect(available(undefined, failure)).toBe("False ApiError");
  });
});

const invalid: HealthVerdict = {
  health: "error",
  message: "Secret llm/key is missing",
  modelHealthy: { status: "False", reason: "AgentFaulty", message: "Secret llm/key is missing" },
  downstreamsReachable: { status: "True", reason: "Reachable", message: "uses none" },
};
const healthTypes = ["ModelHealthy", "DownstreamsReachable"] as const;

describe("HLT-6 health of an agent", () => {
  const unready: Rollout = { ...serving, available: false, reason: "Progressing", message: "0 of 1", readyReplicas: 0 };
  const known = () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    markHealth(conditions, serving, invalid, undefined);
    return new ConditionSet<AgentConditionType>(conditions.all, 2, now);
  };
  const found = (conditions: ConditionSet<AgentConditionType>) =>
    healthTypes.map((type) => conditions.status(type)).join(" ");

  it("a verdict becomes status.health and both conditions", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    expect(markHealth(conditions, serving, invalid, "ok")).toBe("error");
    expect(conditions.all).toMatchObject([
      { type: "ModelHealthy", status: "False", reason: "AgentFaulty", message: "Secret llm/key is missing" },
      { type: "DownstreamsReachable", status: "True", reason: "Reachable", message: "uses none" },
    ]);
  });

  it("no verdict yet on an agent that serves: what was known stays, for the generation that is there", () => {
    const conditions = known();
    expect(markHealth(conditions, serving, undefined, "error")).toBe("error");
    expect(found(conditions)).toBe("False True");
    for (const { observedGeneration } of conditions.all) expect(observedGeneration).toBe(2);
  });

  it.each<[string, Rollout | undefined, HealthVerdict | undefined]>([
    ["no Deployment", undefined, undefined],
    ["scaled to zero, whatever it said before", { ...serving, reason: "ScaledToZero" }, invalid],
    ["no pod ready and none that answers", unready, undefined],
  ])("%s: Unknown, and no status.health", (_, rollout, verdict) => {
    const conditions = known();
    expect(markHealth(conditions, rollout, verdict, "error")).toBeUndefined();
    expect(found(conditions)).toBe("Unknown Unknown");
  });

  it("an agent that is not ready says why in Available", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    markAvailable(conditions, unready, invalid, undefined);
    expect(conditions.message("Available")).toBe("0 of 1; the agent says: Secret llm/key is missing");
    markAvailable(conditions, serving, invalid, undefined);
    expect(conditions.message("Available")).toBe("1 of 1");
  });
});

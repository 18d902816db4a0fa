import { describe, expect, it } from "vitest";
import type { AgentConditionType } from "../../crds/conditions.ts";
import { ConditionSet } from "../conditions.ts";
import type { HealthVerdict } from "../health/verdict.ts";
import type { WatchedAgent } from "../resources.ts";
import type { Rollout } from "../rollout.ts";
import { makeAgent } from "../render/testing/resources.ts";
import { markAvailable, markHealth, markUnchecked, renderAgentStatus, summarise } from "./summary.ts";

const now = new Date("2026-11-21T12:00:00Z");
const serving: Rollout = {
  available: true,
  reason: "Available",
  message: "1 of 1",
  moving: false,
  replicas: 1,
  readyReplicas: 1,
};

const judged = (set: (conditions: ConditionSet<AgentConditionType>) => void, rollout: Rollout | "none" = serving) => {
  const observed = rollout === "none" ? undefined : rollout;
  const conditions = new ConditionSet<AgentConditionType>([], 1, now);
  for (const type of ["Accepted", "ReferencesResolved", "DependenciesReady"] as const)
    conditions.set(type, "True", "Accepted", "");
  markAvailable(conditions, observed, undefined);
  set(conditions);
  summarise(conditions, observed);
  return conditions;
};

const states = (conditions: ConditionSet<AgentConditionType>) =>
  (["Ready", "Reconciling", "Stalled"] as const).map((type) => conditions.status(type)).join(" ");

describe("OPR-3 Ready, Reconciling and Stalled", () => {
  it("everything True: Ready", () => {
    expect(states(judged(() => undefined))).toBe("True False False");
  });

  it("a rollout on the way while old pods serve: Ready and Reconciling", () => {
    expect(states(judged(() => undefined, { ...serving, moving: true }))).toBe("True True False");
  });

  it("a faulty reference: not Ready and Stalled, with that fault in both messages", () => {
    const conditions = judged((set) => set.set("ReferencesResolved", "False", "ServerNotFound", "no server x"));
    expect(states(conditions)).toBe("False False True");
    expect(conditions.message("Ready")).toBe("ReferencesResolved: no server x");
    expect(conditions.message("Stalled")).toContain("no server x");
  });

  it("waiting for a dependency: not Ready, Reconciling, not Stalled", () => {
    const waiting = (set: ConditionSet<AgentConditionType>) =>
      set.set("DependenciesReady", "False", "WaitingForDependencies", "not Ready yet");
    expect(states(judged(waiting, { ...serving, moving: true }))).toBe("False True False");
  });

  it("no Deployment yet: not Available and Reconciling", () => {
    expect(states(judged(() => undefined, "none"))).toBe("False True False");
  });

  it("HLT-6 health conditions never touch Ready", () => {
    expect(states(judged((set) => set.set("ModelHealthy", "False", "Unavailable", "down")))).toBe("True False False");
  });

  it("OPR-11 held back for another image: Ready and Reconciling, with the reason", () => {
    const conditions = judged(() => undefined);
    summarise(conditions, serving, "stays on image a");
    expect(states(conditions)).toBe("True True False");
    expect(conditions.all.find(({ type }) => type === "Reconciling")).toMatchObject({
      reason: "WaitingForRollout",
      message: "stays on image a",
    });
  });

  it("what was not looked at is Unknown, not what it was for an earlier spec", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 2, now);
    conditions.set("ReferencesResolved", "True", "Resolved", "");
    markUnchecked(conditions, new Set());
    expect(conditions.status("ReferencesResolved")).toBe("Unknown");
  });
});

const faulty: HealthVerdict = {
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
    markHealth(conditions, serving, faulty, undefined);
    return new ConditionSet<AgentConditionType>(conditions.all, 2, now);
  };
  const found = (conditions: ConditionSet<AgentConditionType>) =>
    healthTypes.map((type) => conditions.status(type)).join(" ");

  it("a verdict becomes status.health and both conditions", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    expect(markHealth(conditions, serving, faulty, "ok")).toBe("error");
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
    ["scaled to zero, whatever it said before", { ...serving, reason: "ScaledToZero" }, faulty],
    ["no pod ready and none that answers", unready, undefined],
  ])("%s: Unknown, and no status.health", (_, rollout, verdict) => {
    const conditions = known();
    expect(markHealth(conditions, rollout, verdict, "error")).toBeUndefined();
    expect(found(conditions)).toBe("Unknown Unknown");
  });

  it("an agent that is not ready says why in Available", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    markAvailable(conditions, unready, faulty);
    expect(conditions.message("Available")).toBe("0 of 1; the agent says: Secret llm/key is missing");
    markAvailable(conditions, serving, faulty);
    expect(conditions.message("Available")).toBe("1 of 1");
  });
});

describe("CAT-6 specChangedAt", () => {
  const watched = (generation: number, status: WatchedAgent["status"]): WatchedAgent => {
    const agent = makeAgent("echo");
    const metadata = {
      name: "echo",
      namespace: "agents",
      uid: "u",
      resourceVersion: "1",
      generation,
      creationTimestamp: "2026-11-21T10:00:00Z",
    };
    return {
      apiVersion: "",
      kind: "PallasAgent",
      metadata,
      parsed: { ok: true, value: agent },
      status,
    };
  };
  const changedAt = (agent: WatchedAgent) =>
    renderAgentStatus(agent, new ConditionSet([], 1, now), serving, undefined).specChangedAt;

  it("is the creation at first, stays while the generation does, and moves with it", () => {
    const seen = { observedGeneration: 1, specChangedAt: "2026-11-21T10:00:00Z" };
    expect(changedAt(watched(1, undefined))).toBe("2026-11-21T10:00:00Z");
    expect(changedAt(watched(1, seen))).toBe("2026-11-21T10:00:00Z");
    expect(changedAt(watched(2, seen))).toBe("2026-11-21T12:00:00Z");
  });
});

import { describe, expect, it } from "vitest";
import type { AgentConditionType } from "../../crds/conditions.ts";
import { ConditionSet } from "../conditions.ts";
import type { WatchedAgent } from "../resources.ts";
import type { Rollout } from "../rollout.ts";
import { makeAgent } from "../render/testing/resources.ts";
import { markAvailable, markUnchecked, renderAgentStatus, summarise } from "./summary.ts";

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
  markAvailable(conditions, observed);
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

  it("what was not looked at is Unknown, not what it was for an earlier spec", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 2, now);
    conditions.set("ReferencesResolved", "True", "Resolved", "");
    markUnchecked(conditions, new Set());
    expect(conditions.status("ReferencesResolved")).toBe("Unknown");
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
    renderAgentStatus(agent, new ConditionSet([], 1, now), serving).specChangedAt;

  it("is the creation at first, stays while the generation does, and moves with it", () => {
    const seen = { observedGeneration: 1, specChangedAt: "2026-11-21T10:00:00Z" };
    expect(changedAt(watched(1, undefined))).toBe("2026-11-21T10:00:00Z");
    expect(changedAt(watched(1, seen))).toBe("2026-11-21T10:00:00Z");
    expect(changedAt(watched(2, seen))).toBe("2026-11-21T12:00:00Z");
  });
});

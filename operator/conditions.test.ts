import { describe, expect, it } from "vitest";
import { ConditionSet } from "./conditions.ts";

const later = new Date("2026-11-21T10:00:05.700Z");
const before = [
  {
    type: "Ready",
    status: "True" as const,
    reason: "Ready",
    message: "serves calls",
    observedGeneration: 1,
    lastTransitionTime: "2026-11-21T09:00:00Z",
  },
];

describe("OPR-3 conditions in the making", () => {
  it("keep the transition time while the status stays, whatever the reason becomes", () => {
    const conditions = new ConditionSet<"Ready">(before, 2, later);
    conditions.set("Ready", "True", "ScaledToZero", "no pods");
    expect(conditions.all).toEqual([
      { ...before[0], reason: "ScaledToZero", message: "no pods", observedGeneration: 2 },
    ]);
  });

  it("move the transition time with the status, in whole seconds", () => {
    const conditions = new ConditionSet<"Ready">(before, 2, later);
    conditions.set("Ready", "False", "NotReady", "gone");
    expect(conditions.all[0]?.lastTransitionTime).toBe("2026-11-21T10:00:05Z");
  });

  it("keep what was said before, for the generation that is there", () => {
    const conditions = new ConditionSet<"Ready" | "ModelHealthy">(before, 2, later);
    conditions.keep("Ready");
    conditions.keep("ModelHealthy");
    expect(conditions.all).toMatchObject([
      { ...before[0], observedGeneration: 2 },
      { type: "ModelHealthy", status: "Unknown", reason: "NotChecked", observedGeneration: 2 },
    ]);
  });

  it("carry the first problem's reason and every problem's place and cure", () => {
    const conditions = new ConditionSet<"Accepted">([], 1, later);
    conditions.problem("Accepted", [
      { reason: "PortMissing", path: "spec.port", message: "is needed" },
      { reason: "InvalidField", path: "", message: "cannot be" },
    ]);
    expect(conditions.all[0]).toMatchObject({ reason: "PortMissing", message: "spec.port: is needed; cannot be" });
  });

  it("hold messages of 2048 characters, and cut longer ones", () => {
    const conditions = new ConditionSet<"Ready" | "Available">([], 1, later);
    conditions.set("Ready", "False", "NotReady", "x".repeat(2048));
    conditions.set("Available", "False", "Unavailable", "x".repeat(2049));
    expect(conditions.message("Ready")).toBe("x".repeat(2048));
    expect(conditions.message("Available")).toBe(`${"x".repeat(2047)}…`);
  });
});

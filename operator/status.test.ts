import { describe, expect, it, vi } from "vitest";
import type { Condition } from "../crds/definition.ts";
import { recordTransitions } from "./status.ts";

const agent = {
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasAgent",
  metadata: { name: "echo", namespace: "agents", uid: "u", resourceVersion: "1" },
};
const condition = (type: string, status: Condition["status"], message = ""): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
  lastTransitionTime: "2026-11-21T10:00:00Z",
});
const recorded = (before: Condition[], after: Condition[]) => {
  const record = vi.fn();
  recordTransitions({ record }, agent, before, after);
  return record.mock.calls.map(([, ...event]) => event);
};

describe("OPR-3 Events on changes", () => {
  it("tell each condition whose status changed, with its reason and message", () => {
    const before = [condition("Accepted", "True"), condition("Ready", "True")];
    const after = [condition("Accepted", "False", "spec.port: is needed"), condition("Ready", "False", "Accepted")];
    expect(recorded(before, after)).toEqual([
      ["Warning", "AcceptedReason", "Accepted: spec.port: is needed"],
      ["Warning", "ReadyReason", "Ready: Accepted"],
    ]);
  });

  it("are Normal when something becomes True", () => {
    const before = [condition("Ready", "False")];
    expect(recorded(before, [condition("Ready", "True")])).toEqual([["Normal", "ReadyReason", "Ready is True"]]);
  });

  it("tell of a first judgement only what is a problem", () => {
    const after = [
      condition("Accepted", "False", "no such field"),
      condition("Available", "False"),
      condition("ReferencesResolved", "True"),
    ];
    expect(recorded([], after)).toEqual([["Warning", "AcceptedReason", "Accepted: no such field"]]);
  });

  it("are none while a status stays, for what is Unknown, and for conditions that mirror others", () => {
    const after = [
      condition("Ready", "True", "other words"),
      condition("Available", "Unknown"),
      condition("Stalled", "True"),
    ];
    const before = [condition("Ready", "True"), condition("Available", "True"), condition("Stalled", "False")];
    expect(recorded(before, after)).toEqual([]);
    expect(recorded([], after)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { agentReadyParts, validationReasons, type AgentConditionType, type Reason } from "../crds/conditions.ts";
import { ConditionSet } from "./conditions.ts";
import type { Failure } from "./failure.ts";
import type { Rollout } from "./rollout.ts";
import { summarise } from "./summary.ts";
import { computeKstatus } from "./testing/kstatus.ts";

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
const failed = (reason: Reason): Failure => ({ reason, message: `no ${reason}`, error: new Error("x") });

type Part = (typeof agentReadyParts)[number];
type Found = readonly [Part, "False" | "Unknown", Reason];

interface Case {
  readonly found?: Found;
  readonly rollout?: Rollout | "none";
  readonly failure?: Failure;
  readonly waiting?: string;
}

/** The summaries of an agent of generation 2 whose generation 1 was handled; every part is True but the one in `found`. */
function summarised({ found, rollout = serving, failure, waiting }: Case) {
  const conditions = new ConditionSet<AgentConditionType>([], 2, now);
  for (const type of agentReadyParts) conditions.set(type, "True", "Accepted", "");
  if (found) conditions.set(found[0], found[1], found[2], `because of ${found[2]}`);
  const observed = rollout === "none" ? undefined : rollout;
  const handled = summarise(conditions, {
    parts: agentReadyParts,
    rollout: observed,
    failure,
    waiting,
    serves: "serves",
  });
  const states = (["Ready", "Reconciling", "Stalled"] as const).map((type) => conditions.status(type)).join(" ");
  const kstatus = computeKstatus({
    metadata: { generation: 2 },
    status: { observedGeneration: handled ? 2 : 1, conditions: conditions.all },
  });
  return { conditions, states, handled, kstatus };
}

describe("OPR-3 Ready, Reconciling and Stalled", () => {
  it.each<[string, Case, string, string]>([
    ["every part holds", {}, "True False False", "Current"],
    [
      "a rollout on its way while old pods serve",
      { rollout: { ...serving, moving: true } },
      "True True False",
      "InProgress",
    ],
    ["held back for its turn", { waiting: "stays on image a" }, "True True False", "InProgress"],
    [
      "a rollout that gave up while old pods serve",
      { rollout: { ...serving, moving: true, gaveUp: true } },
      "True False True",
      "Failed",
    ],
    [
      "waiting for a dependency",
      { found: ["DependenciesReady", "False", "WaitingForDependencies"] },
      "False True False",
      "InProgress",
    ],
    [
      "a dependency that failed later",
      { found: ["DependenciesReady", "False", "DependencyNotReady"] },
      "False True False",
      "InProgress",
    ],
    [
      "no Deployment yet",
      { found: ["Available", "False", "Unavailable"], rollout: "none" },
      "False True False",
      "InProgress",
    ],
    [
      "an agent it names that may yet come",
      { found: ["ReferencesResolved", "False", "AgentNotFound"] },
      "False True False",
      "InProgress",
    ],
    [
      "a policy that may yet come",
      { found: ["ReferencesResolved", "False", "PolicyNotFound"] },
      "False True False",
      "InProgress",
    ],
    [
      "a tool server that may yet come",
      { found: ["ReferencesResolved", "False", "ServerNotFound"] },
      "False True False",
      "InProgress",
    ],
    [
      "an instance that may yet come",
      { found: ["Accepted", "Unknown", "InstanceNotFound"] },
      "False True False",
      "InProgress",
    ],
    ["a name that somebody else has", { failure: failed("NameConflict") }, "False False True", "Failed"],
    ["a write that was refused", { failure: failed("ApiError") }, "False True False", "InProgress"],
    [
      "a child of an earlier owner on its way out",
      { failure: failed("Progressing") },
      "False True False",
      "InProgress",
    ],
    ["a namespace on its way out", { failure: failed("NamespaceTerminating") }, "False True False", "InProgress"],
  ])("%s", (_, given, states, kstatus) => {
    expect(summarised(given)).toMatchObject({ states, kstatus });
  });

  const mayYetCome: readonly string[] = [
    "AgentNotFound",
    "InstanceNotFound",
    "ServerNotFound",
    "PolicyNotFound",
    "PolicyNotAccepted",
  ];
  it.each(validationReasons.filter((reason) => !mayYetCome.includes(reason)))(
    "a validation error needs a hand: %s",
    (reason) => {
      const { states, kstatus, conditions } = summarised({ found: ["Accepted", "False", reason] });
      expect([states, kstatus]).toEqual(["False False True", "Failed"]);
      expect(conditions.message("Ready")).toBe(`Accepted: because of ${reason}`);
      expect(conditions.message("Stalled")).toBe(`needs a change by hand: because of ${reason}`);
    },
  );

  it("nothing is Ready, Current or handled after a failed write, whatever its pods do", () => {
    for (const reason of ["ApiError", "Progressing", "NamespaceTerminating"] as const) {
      const { conditions, handled, kstatus } = summarised({ failure: failed(reason) });
      expect([handled, kstatus]).toEqual([false, "InProgress"]);
      expect(conditions.get("Ready")).toMatchObject({ status: "False", reason, message: `no ${reason}` });
      expect(conditions.get("Reconciling")).toMatchObject({
        status: "True",
        reason,
        message: `tried again: no ${reason}`,
      });
    }
  });

  it("a conflict counts as handled, so that kstatus reports it and does not wait for ever", () => {
    expect(summarised({ failure: failed("NameConflict") })).toMatchObject({ handled: true, kstatus: "Failed" });
  });

  it("Reconciling gives the reason for which a rollout is held back", () => {
    const { conditions } = summarised({ waiting: "stays on image a" });
    expect(conditions.get("Reconciling")).toMatchObject({ reason: "WaitingForRollout", message: "stays on image a" });
  });

  it("scaled to zero is Ready, and does not say that it serves", () => {
    const { conditions, kstatus } = summarised({
      rollout: { ...serving, reason: "ScaledToZero", message: "no pods run" },
    });
    expect(kstatus).toBe("Current");
    expect(conditions.message("Ready")).toBe("no pods run");
  });

  it("HLT-6 health conditions never touch Ready", () => {
    const conditions = new ConditionSet<AgentConditionType>([], 1, now);
    conditions.set("ModelHealthy", "False", "ProviderUnhealthy", "down");
    for (const type of agentReadyParts) conditions.set(type, "True", "Accepted", "");
    summarise(conditions, { parts: agentReadyParts, rollout: serving, failure: undefined, serves: "serves" });
    expect(conditions.status("Ready")).toBe("True");
  });
});

describe("OPR-3 a resource that nobody has looked at", () => {
  it("is not Current: its status says generation -1 from the first moment", () => {
    expect(computeKstatus({ metadata: { generation: 1 }, status: { observedGeneration: -1 } })).toBe("InProgress");
    expect(computeKstatus({ metadata: { generation: 1 } })).toBe("Current");
  });
});

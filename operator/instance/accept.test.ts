import { describe, expect, it } from "vitest";
import type { InstanceConditionType } from "../../crds/conditions.ts";
import { kinds } from "../../crds/kinds.ts";
import { parseWatched, type WatchedInstance } from "../../plan/parse-watched.ts";
import { instanceManifestOf } from "../../plan/testing/resources.ts";
import { ConditionSet } from "../conditions.ts";
import { acceptInstance } from "./accept.ts";

const metadata = { name: "ouranos", namespace: "agents", uid: "u", resourceVersion: "1", generation: 2 };
const rules = { mode: "cluster" } as const;

/** What is written at `minute` of the hour, for an instance that is on the server as `live`. */
function conditionsOf(live: WatchedInstance, minute: number) {
  const now = new Date(Date.UTC(2026, 10, 22, 10, minute));
  const conditions = new ConditionSet<InstanceConditionType>(live.status?.conditions ?? [], 2, now);
  return { accepted: acceptInstance(live, rules, conditions), conditions: conditions.all };
}

const read = (spec: object, status?: object) =>
  parseWatched(
    kinds.PallasInstance,
    { ...instanceManifestOf(spec), metadata, ...(status ? { status } : {}) },
    undefined,
  );

describe("OPR-2 OPR-5 whether an instance is accepted", () => {
  it("a sound one is, for all that another release has added to it", () => {
    const { accepted, conditions } = conditionsOf(read({ mood: "fine" }, { mood: "fine" }), 0);
    expect(accepted?.spec.registryNamespace).toBe("ca.helu.ouranos");
    expect(conditions).toMatchObject([{ type: "Accepted", status: "True" }]);
  });

  it("one that cannot be read is not, and this is said once: a later look changes nothing", () => {
    const first = conditionsOf(read({ version: "one" }), 0);
    expect(first.accepted).toBeUndefined();
    expect(first.conditions).toMatchObject([{ status: "False", reason: "InvalidField" }]);
    const later = conditionsOf(read({ version: "one" }, { conditions: first.conditions, mood: "fine" }), 30);
    expect(later.conditions).toEqual(first.conditions);
  });
});

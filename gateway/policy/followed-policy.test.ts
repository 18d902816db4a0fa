// Which rules hold under the name of a gateway's policy, and that they are compiled once for each form.
import { describe, expect, it } from "vitest";
import { decide } from "../../lib/policy/decide.ts";
import { openServerScene, policyName } from "../testing/server-scene.ts";
import { followPolicy } from "./followed-policy.ts";

const call = { server: "bank", tool: "pay", caller: "ann", role: "caller", agent: "" };
const allow = { rules: [], default: "allow" };
const faulty = { rules: [1, 2].map(() => ({ name: "same", action: "allow" })) };

function open() {
  const { state } = openServerScene();
  state.putPolicy(allow);
  const followed = followPolicy({ config: { policyRef: policyName }, state });
  if (followed === undefined) throw new Error("expected a policy");
  return { state, followed, action: () => decide(followed.now().policy, call) };
}

describe("MGM-5 the policy in force", () => {
  it("is none where the instance names none", () => {
    const { state } = openServerScene();
    expect(followPolicy({ config: {}, state })).toBeUndefined();
  });

  it("is another from one call to the next, and tells what held before", () => {
    const { state, followed, action } = open();
    const before: string[] = [];
    const stop = followed.onChange(({ policy }) => void before.push(decide(policy, call).action));
    state.putPolicy({ rules: [], default: "denyContinue" });
    expect([action().action, followed.now().generation, before]).toEqual(["denyContinue", 2, ["allow"]]);
    stop();
    state.putPolicy(allow);
    expect([action().action, before]).toEqual(["allow", ["allow"]]);
  });

  it("denies where the policy is deleted, or was never valid, and says why", () => {
    const { state, action } = open();
    state.putPolicy(undefined);
    expect(action()).toMatchObject({ action: "denyAbort", fault: expect.stringContaining("does not exist") });
    state.putPolicy(faulty);
    expect(action()).toMatchObject({ action: "denyAbort", fault: expect.stringContaining("never was") });
  });

  it("is the last one that was accepted while the one that is written is faulty", () => {
    const { state, followed, action } = open();
    state.putPolicy(faulty, { inForce: { generation: 1, ...allow } });
    expect([action().action, followed.now().generation]).toEqual(["allow", 1]);
  });

  it("is compiled once for each form that it has", () => {
    const { state, followed } = open();
    const { policy } = followed.now();
    // As when the operator writes the status.
    state.putPolicy(allow, { inForce: { generation: 1, ...allow } }, 1);
    expect(followed.now().policy).toBe(policy);
    state.putPolicy(allow);
    expect(followed.now().policy).not.toBe(policy);
  });

  it("is not followed any more once it is closed", () => {
    const { state, followed, action } = open();
    followed.close();
    state.putPolicy(undefined);
    expect(action().action).toBe("allow");
  });
});

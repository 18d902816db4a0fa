// Calls over REST by the gateway's policy: what is denied is 403, and what waits for an approval is asked for again later (MGM-5, MGM-6).
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { echoTool } from "../testing/server-scene.ts";
import { approver, openPolicyScene, type PolicyScene } from "./testing/policy-scene.ts";

const call = (scene: PolicyScene, args: object = {}, tool = "pay") =>
  scene.ask("POST", "/api/servers/bank/call", { as: "caller", body: { tool, args } });

describe("MGM-5 MGM-6 REST", () => {
  it.each([
    ["denyAbort", "deny_abort"],
    ["denyContinue", "deny_continue"],
  ])("refuses what is denied: %s", async (action, decision) => {
    const match = { args: [{ path: "/amount", greaterThan: 100 }] };
    const scene = await openPolicyScene({
      policy: { rules: [{ name: "big", match, action, reason: "too much" }], default: "allow" },
    });
    expect(await call(scene, { amount: 101 })).toEqual({
      status: 403,
      body: { error: "policy_denied", message: "too much", decision, reason: "too much" },
    });
    expect(scene.received).toEqual([]);
    expect((await call(scene, { amount: 100 })).status).toBe(200);
  });

  it("waits for whoever decides", async () => {
    const scene = await openPolicyScene({ policy: { rules: [] } });
    const answer = call(scene, { amount: 1 });
    await scene.decide({ verdict: "approve" });
    expect(await answer).toMatchObject({ status: 200, body: { content: [{ text: '{"amount":1}' }] } });
  });

  it("says after 45 s how to go on, and the same call later is answered by what was decided meanwhile", async () => {
    const policyClock = new ManualClock();
    const scene = await openPolicyScene({ policy: { rules: [] }, policyClock });
    const answer = call(scene, { amount: 1 });
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    const { metadata, spec } = await scene.pending();
    await policyClock.advance(44_999);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    await policyClock.advance(1);
    const reason = `approval ${metadata.name} waits for somebody to decide until ${spec.expiresAt}: once it is approved, make the same call again`;
    const body = { error: "policy_denied", message: reason, decision: "deny_continue", reason };
    expect(await answer).toEqual({ status: 403, body });
    await scene.decide({ verdict: "approve" });
    expect((await call(scene, { amount: 1 })).status).toBe(200);
    expect([scene.received, scene.approvals.list().length]).toEqual([[{ amount: 1 }], 1]);
    // It was for one call.
    const next = call(scene, { amount: 1 });
    await scene.decide({ verdict: "denyContinue", reason: "not again" });
    expect(await next).toMatchObject({ status: 403, body: { reason: "not again" } });
  });

  it("asks about another call by another approval", async () => {
    const scene = await openPolicyScene({ policy: { rules: [] } });
    const [one, two] = [call(scene, { amount: 1 }), call(scene, { amount: 2 })];
    await expect.poll(() => scene.approvals.list().length).toBe(2);
    const second = scene.approvals.list().find(({ spec }) => spec.arguments === '{"amount":2}');
    if (second === undefined) throw new Error("expected an approval of the second call");
    const { metadata, spec } = second;
    await scene.approvals.decide(metadata.name, { verdict: "approve", argumentsHash: spec.argumentsHash }, approver);
    expect((await two).status).toBe(200);
    await scene.decide({ verdict: "denyAbort" });
    expect((await one).status).toBe(403);
    expect(scene.received).toEqual([{ amount: 2 }]);
  });

  it("shows a change of a hidden tool to those alone who may approve it", async () => {
    const hidden = { name: "closed", match: { tools: ["pay"] }, action: "denyAbort" };
    const scene = await openPolicyScene({ policy: { rules: [hidden], default: "allow" } });
    await scene.setTools(
      [echoTool("pay"), echoTool("read")].map((tool) => ({ ...tool, description: "And sends it." })),
    );
    const changed = async (as: string) => {
      const { body } = await scene.ask("GET", "/api/servers/bank/pins", { as });
      return JSON.parse(JSON.stringify(body)).changes.map(({ tool }: { tool: string }) => tool);
    };
    expect(await changed("viewer")).toEqual(["read"]);
    expect(await changed("caller")).toEqual(["read"]);
    expect(await changed("approver")).toEqual(["pay", "read"]);
  });
});

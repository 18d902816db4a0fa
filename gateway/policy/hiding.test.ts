// Tools that the policy denies somebody whatever the arguments are not there for them (MGM-5): in no list, and unknown when called; who is
// concerned by other rules hears of it, and nobody else.
import { describe, expect, it } from "vitest";
import { echoTool } from "../testing/server-scene.ts";
import { openPolicyScene, type PolicyScene } from "./testing/policy-scene.ts";

const noPay = { rules: [{ name: "pay", match: { tools: ["pay"] }, action: "denyAbort" }], default: "allow" };
const noDestruction = {
  rules: [{ name: "destructive", match: { hints: { destructive: true } }, action: "denyContinue" }],
  default: "allow",
};
const hinted = [
  { ...echoTool("pay"), annotations: { destructiveHint: true } },
  { ...echoTool("read"), annotations: { readOnlyHint: true } },
];

const listOf = async (scene: PolicyScene, caller: string) => {
  const client = await scene.connect("2026", caller);
  return (await client.list()).filter((name) => name.startsWith("bank__"));
};
const quiet = () => new Promise((resolve) => setTimeout(resolve, 1_200));
const toolsOf = (body: unknown): unknown => Reflect.get(Object(body), "tools");

describe.each([
  ["by its name", noPay, undefined],
  ["by what its server says of it", noDestruction, hinted],
])("MGM-5 a tool that is denied %s", (_, policy, tools) => {
  const open = () => openPolicyScene({ policy, ...(tools && { tools }) });

  it("is in no list", async () => {
    const scene = await open();
    expect(await listOf(scene, "caller")).toEqual(["bank__read"]);
    const single = await scene.ask("GET", "/api/servers/bank", { as: "caller" });
    expect(toolsOf(single.body)).toMatchObject([{ name: "read" }]);
    const status = await scene.ask("GET", "/api/status", { as: "caller" });
    expect(status.body).toMatchObject({ servers: [{ name: "bank", tool_count: 1, tools: ["read"] }] });
    expect(
      await scene.act("caller", { action: "find_tool", query: "the tool pay", auto_activate: false }),
    ).not.toMatchObject({
      call_as: "mcp__bank__pay",
    });
  });

  it("is unknown when it is called, and is suggested to nobody", async () => {
    const scene = await open();
    const client = await scene.connect("2026", "caller");
    await expect(client.call("bank__pay", {})).rejects.toMatchObject({ code: -32_602 });
    expect(await scene.act("caller", { action: "proxy_call", server: "bank", tool: "pay" })).toMatchObject({
      error: { type: "not_found" },
    });
    for (const tool of ["pay", "pays"]) {
      const { status, body } = await scene.ask("POST", "/api/servers/bank/call", { as: "caller", body: { tool } });
      expect([status, body]).toMatchObject([404, { error: "unknown_tool", did_you_mean: [] }]);
    }
    expect(scene.received).toEqual([]);
    expect(scene.decisions).toEqual([]);
  });
});

describe("MGM-5 another policy", () => {
  it.each(["2025", "2026"] as const)("is heard of by those whose list it changes, in the %s era", async (era) => {
    const scene = await openPolicyScene({ policy: { rules: [], default: "allow" } });
    const [caller, operator] = [await scene.connect(era, "caller"), await scene.connect(era, "operator")];
    await Promise.all([caller.list(), operator.list()]);
    // What the server itself changed by being there is told by then.
    await quiet();
    const [before, others] = [caller.heard(), operator.heard()];
    const match = { tools: ["pay"], callers: ["somebody caller"] };
    scene.state.putPolicy({ rules: [{ name: "pay", match, action: "denyAbort" }], default: "allow" });
    await expect.poll(() => caller.heard(), { timeout: 5_000 }).toBe(before + 1);
    expect((await caller.list()).filter((name) => name.startsWith("bank__"))).toEqual(["bank__read"]);
    // What changes nobody's list is told to nobody.
    scene.state.putPolicy({ rules: [{ name: "pay", match, action: "denyContinue" }], default: "ask" });
    await quiet();
    expect(caller.heard()).toBe(before + 1);
    scene.state.putPolicy({ rules: [], default: "allow" });
    await expect.poll(() => caller.heard(), { timeout: 5_000 }).toBe(before + 2);
    expect(operator.heard()).toBe(others);
  });
});

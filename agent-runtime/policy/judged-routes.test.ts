// What an agent tells its gateway of the calls it judged: by real calls, over its admin port.
import { describe, expect, test } from "vitest";
import { maxDryRunRequestBytes, maxJudgedCalls, parseJudgedReport } from "../../crds/judged-calls.ts";
import { JudgedRing } from "../../lib/policy/judged-ring.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { createTestGateway } from "../testing/gateway.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { callTool, createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";

const keep = keepUntilEnd();
const small = { name: "small", match: { args: [{ path: "/amount", lessThan: 100 }] }, action: "allow" };
const policy = { name: "money", generation: 1, rules: [small], default: "denyContinue" as const };

async function start({ hasPolicy = true } = {}) {
  const { readLive, sign } = await createTestGateway();
  const bank = await keep(startToolServer({ pay: () => textResult("paid") }));
  const pay = (amount: number) => callTool("bank__pay", { amount, secret: "hunter2" }, `pay-${amount}`);
  const models = createScriptedModels([{ toolCalls: [pay(40), pay(400)] }, { text: "done" }]);
  const agent = await keep(
    startAgent(
      {
        servers: [renderTestServer("bank", bank.url)],
        gateway: true,
        ...(hasPolicy && { policy: true as const }),
      },
      { models, readLive: async () => ({ ...(await readLive()), ...(hasPolicy && { policy }) }) },
    ),
  );
  const own = `Bearer ${await sign()}`;
  const post = async (body: string | object, headers: Record<string, string> = { authorization: own }) => {
    const response = await fetch(`${agent.adminUrl}/judged`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  return { agent, bank, post, sign };
}

describe("MGM-3 the calls that an agent judged", () => {
  test("are kept as many as an answer may have", () => {
    const ring = new JudgedRing();
    const call = { server: "bank", tool: "pay", caller: "ann", role: "caller", agent: "clerk" };
    for (let each = 0; each <= maxJudgedCalls; each += 1) ring.add(call, "allow", "2030-01-01T00:00:00.000Z");
    expect(ring.size).toBe(maxJudgedCalls);
  });

  test("are judged anew by the rules of its gateway, and their arguments stay where they are", async () => {
    const { agent, bank, post } = await start();
    await ask(agent.mcpUrl, { message: "go" });
    expect(bank.seen.map(({ args }) => args["amount"])).toEqual([40]);
    const large = { name: "large", match: { args: [{ path: "/amount", greaterThan: 100 }] }, action: "ask" };
    const { status, text } = await post({ rules: [large], default: "denyAbort" });
    expect({ status, text }).toMatchObject({ status: 200, text: expect.not.stringContaining("hunter2") });
    const { calls } = parseJudgedReport(text, "tech-research");
    const pay = { at: expect.any(String), server: "bank", tool: "pay", caller: "anonymous" };
    expect(calls.toSorted((a, b) => a.after.localeCompare(b.after))).toEqual([
      { ...pay, before: "denyContinue", after: "ask", rule: "large" },
      { ...pay, before: "allow", after: "denyAbort" },
    ]);
    const faulty = parseJudgedReport((await post({ rules: [{ name: "x", unknown: 1 }] })).text, "tech-research");
    expect(faulty.calls.map(({ after }) => after)).toEqual(["denyAbort", "denyAbort"]);
  });

  test("are counted by what was decided", async () => {
    const { agent } = await start();
    await ask(agent.mcpUrl, { message: "go" });
    const metrics = await (await fetch(`${agent.adminUrl}/metrics`)).text();
    const decided = (decision: string) =>
      `pallas_agent_policy_decisions_total{agent="tech-research",decision="${decision}"}`;
    for (const [decision, count] of [
      ["allow", 1],
      ["deny_continue", 1],
      ["ask", 0],
      ["fault", 0],
    ] as const) {
      expect(metrics).toContain(`${decided(decision)} ${count}`);
    }
  });

  test("are nobody else's", async () => {
    const { post, sign } = await start();
    const stranger = await sign({ sub: "system:serviceaccount:agents:on-call" });
    for (const headers of [{}, { authorization: "Bearer x.y.z" }, { authorization: `Bearer ${stranger}` }]) {
      expect(await post({ rules: [] }, headers)).toMatchObject({ status: 401 });
    }
  });

  test("are not told of by an agent without a policy", async () => {
    const { post } = await start({ hasPolicy: false });
    expect(await post({ rules: [] })).toMatchObject({ status: 404 });
  });

  const padded = (bytes: number) => `{"rules":[]}${" ".repeat(bytes - 12)}`;
  test.each([
    ["no JSON", "rules", 400],
    ["nothing", "", 400],
    ["a list", "[]", 400],
    ["no rules", "{}", 422],
    ["rules that are no list", '{"rules":{}}', 422],
    ["another field", '{"rules":[],"agent":"other"}', 422],
    ["10,000 levels", `{"rules":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 400],
    ["the largest body", padded(maxDryRunRequestBytes), 200],
    ["one byte more", padded(maxDryRunRequestBytes + 1), 413],
  ])("are not judged by what is no policy: %s", async (_what, body, status) => {
    const { post } = await start();
    expect(await post(body)).toMatchObject({ status });
  });
});

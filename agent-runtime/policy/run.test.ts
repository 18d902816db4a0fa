// A whole agent with a policy over real HTTP: what its model and its caller are told of calls that are not made.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { LiveConfig } from "../../crds/run-config.ts";
import { JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import { startApprovalsGateway } from "../testing/approvals-gateway.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { callTool, createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";

const keep = keepUntilEnd();
const live = (...rules: object[]): LiveConfig => ({
  ...{ schema: 1, severalPods: false },
  policy: { name: "careful", generation: 1, rules, default: "allow" },
});

async function start(config: LiveConfig, turns: Parameters<typeof createScriptedModels>[0]) {
  const bank = await keep(startToolServer({ pay: () => textResult("paid"), read: () => textResult("12 euros") }));
  const models = createScriptedModels(turns);
  const folder = await mkdtemp(join(tmpdir(), "pallas-token-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const gatewayTokenFile = join(folder, "gateway");
  await writeFile(gatewayTokenFile, "own\n");
  const agent = await keep(
    startAgent(
      { servers: [renderTestServer("bank", bank.url)], policy: true },
      { models, gatewayTokenFile, readLive: async () => config },
    ),
  );
  return { agent, bank, models };
}

describe("MGM-5 a run whose calls are judged", () => {
  test("goes on where a call is denied: the model reads why", async () => {
    const no = {
      name: "no",
      match: { args: [{ path: "/to", equals: "eve" }] },
      action: "denyContinue",
      reason: "not to eve",
    };
    const calls = [callTool("bank__pay", { to: "eve" }, "a"), callTool("bank__read", {}, "b")];
    const { agent, bank, models } = await start(live(no), [{ toolCalls: calls }, { text: "done" }]);
    expect(await ask(agent.mcpUrl, { message: "go" })).toMatchObject({ text: "done", isError: false });
    expect(bank.seen.map(({ tool }) => tool)).toEqual(["read"]);
    const shown = JSON.stringify(models.requests[1]?.messages);
    expect(shown).toContain("The call of bank/pay was denied, and not made: not to eve.");
  });

  test("ends where a rule says so: its caller reads why, and nothing more is called", async () => {
    const no = {
      name: "no",
      match: { args: [{ path: "/to", equals: "eve" }] },
      action: "denyAbort",
      reason: "not to eve",
    };
    const turns = [{ toolCalls: [callTool("bank__pay", { to: "eve" }, "a")] }, { text: "never asked" }];
    const { agent, bank, models } = await start(live(no), turns);
    const answer = await ask(agent.mcpUrl, { message: "go" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain("The call of bank/pay was denied, and not made: not to eve.");
    expect(bank.seen).toEqual([]);
    expect(models.requests).toHaveLength(1);
  });

  test("sends what somebody wrote in place of the arguments, and nothing else", async () => {
    const gateway = await keep(startApprovalsGateway());
    const approvals = { url: gateway.url, timeoutMs: 20_000 };
    const turns = [{ toolCalls: [callTool("bank__pay", { amount: 40, card: "4111" }, "a")] }, { text: "done" }];
    const rule = { name: "ask", action: "ask", redact: ["/card"] };
    const { agent, bank } = await start({ ...live(rule), approvals }, turns);
    const answer = ask(agent.mcpUrl, { message: "go" });
    await vi.waitFor(() => expect(gateway.known.size).toBe(1));
    expect(gateway.known.get("clerk-1")?.question.arguments).toBe('{"amount":40,"card":"[redacted]"}');
    gateway.decide("clerk-1", { verdict: "approveEdited", arguments: '{"amount":4,"card":"[redacted]"}' });
    expect(await answer).toMatchObject({ text: "done", isError: false });
    expect(bank.seen).toMatchObject([{ tool: "pay", args: { amount: 4, card: "4111" } }]);
  });

  test("takes a server's error by a reserved code for no decision of its policy", async () => {
    const bank = await keep(
      startToolServer({
        pay: () => {
          throw new JsonRpcError(-32_950, "denied by bank");
        },
      }),
    );
    const models = createScriptedModels([{ toolCalls: [callTool("bank__pay", {}, "a")] }, { text: "done" }]);
    const config = { servers: [renderTestServer("bank", bank.url)], policy: true as const };
    const agent = await keep(startAgent(config, { models, readLive: async () => live() }));
    expect(await ask(agent.mcpUrl, { message: "go" })).toMatchObject({ text: "done", isError: false });
    const shown = JSON.stringify(models.requests[1]?.messages);
    expect(shown).toContain("reserved for refusals by policy: its call was made, and failed");
    expect(shown).not.toContain("denied by bank");
  });

  test("without anybody to ask, what is asked about is denied", async () => {
    const turns = [{ toolCalls: [callTool("bank__pay", {}, "a")] }, { text: "done" }];
    const { agent, bank, models } = await start(live({ name: "ask", action: "ask" }), turns);
    await ask(agent.mcpUrl, { message: "go" });
    expect(bank.seen).toEqual([]);
    expect(JSON.stringify(models.requests[1]?.messages)).toContain("was denied, and not made");
  });
});

// A whole agent with a policy over real HTTP: what its model and its caller are told of calls that are not made.
import { describe, expect, test } from "vitest";
import type { LiveConfig } from "../../crds/run-config.ts";
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
  const agent = await keep(
    startAgent(
      { servers: [renderTestServer("bank", bank.url)], policy: true },
      { models, readLive: async () => config },
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

  test("without anybody to ask, what is asked about is denied", async () => {
    const turns = [{ toolCalls: [callTool("bank__pay", {}, "a")] }, { text: "done" }];
    const { agent, bank, models } = await start(live({ name: "ask", action: "ask" }), turns);
    await ask(agent.mcpUrl, { message: "go" });
    expect(bank.seen).toEqual([]);
    expect(JSON.stringify(models.requests[1]?.messages)).toContain("was denied, and not made");
  });
});

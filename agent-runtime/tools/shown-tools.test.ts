// MGM-5 what a run is shown of its agent's tools: not those that are denied whatever their arguments, over real HTTP with a scripted model.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LivePolicy, RunConfig } from "../../crds/run-config.ts";
import { renderVouched } from "../../lib/auth/gateway-caller.ts";
import { serveChangingTable } from "../../lib/mcp/changing-table.fixture.ts";
import { renderInitial } from "../inputs/live-config.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { livePolicy, openCompositor } from "../testing/compositor.ts";
import { createTestGateway } from "../testing/gateway.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { callTool, createScriptedModels, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";

const keep = keepUntilEnd();
const bank = () => startToolServer({ pay: () => textResult("paid"), read: () => textResult("read") });
const deny = (match: object) => ({ name: "no", match, action: "denyContinue" });

async function start(changes: Partial<RunConfig>, policy: LivePolicy, models: ScriptedModels) {
  const { readLive, sign } = await createTestGateway();
  const { gateway } = await readLive();
  const live = { ...renderInitial(renderTestConfig()), ...(gateway && { gateway }), policy };
  const config = { gateway: true as const, policy: true as const, ...changes };
  const folder = await mkdtemp(join(tmpdir(), "pallas-token-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const gatewayTokenFile = join(folder, "gateway");
  await writeFile(gatewayTokenFile, "own\n");
  const agent = await keep(startAgent(config, { models, gatewayTokenFile, readLive: async () => live }));
  return { agent, sign };
}

const shown = ({ requests }: ScriptedModels, at = 0) => requests[at]?.tools.map(({ name }) => name);

describe("MGM-5 a model", () => {
  test("is not shown a tool that is denied, and has none of that name", async () => {
    const server = await keep(bank());
    const models = createScriptedModels([
      { toolCalls: ["bank__pay", "mcp__bank__pay"].map((name, at) => callTool(name, {}, String(at))) },
      { text: "done" },
    ]);
    const policy = livePolicy([deny({ tools: ["pay"] })], "allow");
    const { agent } = await start({ servers: [renderTestServer("bank", server.url)] }, policy, models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(shown(models)).toEqual(["bank__read"]);
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({
      results: ["bank__pay", "mcp__bank__pay"].map((name) => ({
        isError: true,
        text: `There is no tool named "${name}".`,
      })),
    });
    expect(server.seen).toEqual([]);
  });

  test("is shown what its own caller is let do", async () => {
    const server = await keep(bank());
    const models = createScriptedModels([{ text: "done" }]);
    const rules = [{ name: "ann", match: { callers: ["ann"] }, action: "allow" }, deny({ tools: ["pay"] })];
    const servers = [renderTestServer("bank", server.url)];
    const { agent, sign } = await start({ servers }, livePolicy(rules, "allow"), models);
    await ask(agent.mcpUrl, { message: "go" });
    const headers = { "pallas-caller": "0".repeat(64), ...renderVouched({ name: "ann" }, await sign()) };
    const ann = await keep(openCompositor(agent.mcpUrl, headers));
    await ann.call("send_message", { message: "go" });
    expect([shown(models), shown(models, 1)]).toEqual([["bank__read"], ["bank__pay", "bank__read"]]);
  });

  test("is shown no agent that is denied it, no resources, and no words of a server of which nothing is left", async () => {
    const server = await keep(startToolServer({ pay: () => textResult("") }, { instructions: "Of use to nobody." }));
    const notes = await keep(serveChangingTable());
    const servers = [renderTestServer("bank", server.url), renderTestServer("notes", notes.url)];
    const agents = [renderTestSubAgent("clerk", server.url), renderTestSubAgent("scribe", server.url)];
    const rules = [deny({ tools: ["pay", "resources/read"] }), { ...deny({ servers: ["clerk"] }), name: "clerk" }];
    const models = createScriptedModels([{ text: "done" }]);
    const { agent } = await start({ servers, agents }, livePolicy(rules, "allow"), models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(shown(models)).toEqual([expect.stringContaining("scribe"), "notes__always"]);
    expect(models.requests[0]?.system).not.toContain("Of use to nobody");
  });

  test("is shown all tools where there is no policy to go by, since each call says why it is denied", async () => {
    const server = await keep(bank());
    const models = createScriptedModels([{ text: "done" }]);
    const policy = { name: "careful", fault: "gone" };
    const { agent } = await start({ servers: [renderTestServer("bank", server.url)] }, policy, models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(shown(models)).toEqual(["bank__pay", "bank__read"]);
  });

  test("is shown of the registry only what is not denied, and the registry itself", async () => {
    const registry = await keep(
      startToolServer({
        registry: () => textResult(""),
        bank__pay: () => textResult(""),
        bank__read: () => textResult(""),
      }),
    );
    const servers = [renderTestServer("registry", registry.url, { registry: true, instructions: false })];
    const models = createScriptedModels([{ toolCalls: [callTool("mcp__bank__pay")] }, { text: "done" }]);
    const { agent } = await start({ servers }, livePolicy([deny({ tools: ["pay"] })], "allow"), models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(shown(models)).toEqual(["registry", "bank__read"]);
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ isError: true }] });
    expect(registry.seen).toEqual([]);
  });
});

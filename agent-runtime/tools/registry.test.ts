// DSC-1 an agent that is given the registry of its gateway: by real MCP over HTTP, with a server in the place of the gateway that answers
// as its registry does.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { RunServer } from "../../crds/run-config.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { callTool, createScriptedModels, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";

const keep = keepUntilEnd();
const found = { found: true, call_as: "mcp__memory__read_graph", next_step: "Call mcp__memory__read_graph." };

/** A registry whose tools of `memory` answer with what they were sent; `listed` are in its list too. */
const startRegistry = (listed: string[] = [], bearers: (string | null)[] = ["Bearer own"]) =>
  startToolServer(
    {
      ...Object.fromEntries(listed.map((name) => [name, () => textResult(`${name} itself`)])),
      registry: {
        inputSchema: { type: "object", properties: { action: { type: "string" } }, required: ["action"] },
        async handle({ action, ...args }, context) {
          if (action === "find_tool") return textResult(JSON.stringify(found));
          await context.sendProgress?.({ progress: 1, message: "half way" });
          const isKnown = args["server"] === "memory" && args["tool"] === "read_graph";
          return isKnown
            ? textResult(`called with ${JSON.stringify(args)}`)
            : { ...textResult("unknown"), isError: true };
        },
      },
    },
    { instructions: "Of use to nobody.", admits: (authorization) => bearers.includes(authorization) },
  );

async function start(url: string, models?: ScriptedModels, servers: RunServer[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "pallas-token-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const gatewayTokenFile = join(folder, "gateway");
  const writeToken = (token: string) => writeFile(gatewayTokenFile, `${token}\n`);
  await writeToken("own");
  const registry = renderTestServer("registry", url, { registry: true, instructions: false });
  const options = { gatewayTokenFile, ...(models && { models }) };
  const agent = await keep(startAgent({ servers: [registry, ...servers], gateway: true }, options));
  return { agent, writeToken };
}

describe("DSC-1 an agent that is given the registry", () => {
  test("is offered that one tool under its own name, asked for with the agent's own token", async () => {
    const registry = await keep(startRegistry());
    const models = createScriptedModels([{ text: "ok" }]);
    const { agent } = await start(registry.url, models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(models.requests[0]?.tools).toMatchObject([{ name: "registry", description: "The tool registry." }]);
    expect(models.requests[0]?.system).not.toContain("Of use to nobody");
    expect(new Set(registry.authorizations)).toEqual(new Set(["Bearer own"]));
  });

  test.each(["mcp__memory__read_graph", "memory__read_graph"])(
    "finds a tool and calls it as %s, which no prompt lists",
    async (name) => {
      const registry = await keep(startRegistry());
      const models = createScriptedModels([
        { toolCalls: [callTool("registry", { action: "find_tool", query: "graph" })] },
        { toolCalls: [callTool(name, { depth: 2 })] },
        { text: "done" },
      ]);
      const { agent } = await start(registry.url, models);
      const answer = await ask(agent.mcpUrl, { message: "go" });
      expect(answer).toMatchObject({ text: "done", isError: false });
      expect(registry.seen.map(({ tool, args }) => [tool, args])).toEqual([
        ["registry", { action: "find_tool", query: "graph", auto_activate: false }],
        ["registry", { action: "proxy_call", server: "memory", tool: "read_graph", arguments: { depth: 2 } }],
      ]);
      expect(models.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1]);
    },
  );

  test("calls it also by a name that no provider takes back, which is mended in what the model is shown of it", async () => {
    const registry = await keep(startRegistry());
    const name = "mcp__my.server__read graph";
    const models = createScriptedModels([{ toolCalls: [callTool(name, {}, "a")] }, { text: "done" }]);
    const { agent } = await start(registry.url, models);
    const { lines } = await ask(agent.mcpUrl, { message: "go" });
    expect(registry.seen[0]?.args).toMatchObject({ server: "my.server", tool: "read graph" });
    expect(lines).toContain("registry/proxy_call: started");
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({ results: [{ name: "mcp__my_server__read_graph_" }] });
  });

  test("calls nothing there whose name is of another form", async () => {
    const registry = await keep(startRegistry());
    const names = ["readgraph", "__x", "mcp____x", `a__${"x".repeat(1_022)}`];
    const toolCalls = names.map((name, at) => callTool(name, {}, String(at)));
    const models = createScriptedModels([{ toolCalls }, { text: "done" }]);
    const { agent } = await start(registry.url, models);
    await ask(agent.mcpUrl, { message: "go" });
    expect(registry.seen).toEqual([]);
  });

  test("shows what is found and called by its own names, in progress and to the model", async () => {
    const registry = await keep(startRegistry());
    const call = { action: "proxy_call", call_as: found.call_as, arguments: {} };
    const models = createScriptedModels([
      { toolCalls: [callTool("registry", { action: "find_tool", query: "q", auto_activate: true })] },
      {
        toolCalls: [callTool("registry", call, "a"), callTool("registry", { ...call, call_as: "no such\nname" }, "b")],
      },
      { text: "done" },
    ]);
    const { agent } = await start(registry.url, models);
    const { lines } = await ask(agent.mcpUrl, { message: "go" });
    expect(lines.filter((line) => line.includes("/"))).toEqual(
      expect.arrayContaining([
        "registry/find_tool: started",
        "registry/find_tool: completed",
        "memory/read_graph: started",
        "memory/read_graph: half way",
        "memory/read_graph: completed",
        "registry/proxy_call: failed",
      ]),
    );
    expect(registry.seen[0]?.args).toMatchObject({ auto_activate: true });
    expect(models.requests[2]?.messages.at(-1)).toMatchObject({
      results: [
        { name: "registry", text: 'called with {"server":"memory","tool":"read_graph","arguments":{}}' },
        { isError: true },
      ],
    });
  });

  test("is offered what the gateway lists beside it, under the same names, unless a server of its own has them", async () => {
    const memory = await keep(startToolServer({ read_graph: () => textResult("own") }));
    const registry = await keep(startRegistry(["memory__read_graph", "time__now", "bad.name__x"]));
    const models = createScriptedModels([
      { toolCalls: [callTool("time__now", {}, "a"), callTool("memory__read_graph", {}, "b")] },
      { text: "done" },
    ]);
    const { agent } = await start(registry.url, models, [renderTestServer("memory", memory.url)]);
    await ask(agent.mcpUrl, { message: "go" });
    const names = models.requests[0]?.tools.map(({ name }) => name);
    expect(names).toEqual([
      "registry",
      "memory__read_graph",
      "time__now",
      expect.stringMatching(/^bad_name__x_[0-9a-f]{8}$/),
    ]);
    expect(registry.seen.map(({ tool }) => tool)).toEqual(["time__now"]);
    expect(memory.seen).toHaveLength(1);
  });

  test("reads its token anew for each request, since it is renewed", async () => {
    const registry = await keep(startRegistry([], ["Bearer own", "Bearer next"]));
    const { agent, writeToken } = await start(registry.url);
    const message = `***CALL_TOOL registry {"action":"find_tool"}`;
    expect((await ask(agent.mcpUrl, { message })).text).toBe(JSON.stringify(found));
    await writeToken("next");
    await ask(agent.mcpUrl, { message });
    expect(registry.authorizations.at(-1)).toBe("Bearer next");
  });

  test("goes on without it while the gateway is away or it has no token, and says so", async () => {
    const registry = await keep(startRegistry([], ["Bearer other"]));
    const models = createScriptedModels([{ toolCalls: [callTool("mcp__memory__read_graph")] }, { text: "alone" }]);
    const { agent } = await start(registry.url, models);
    expect((await ask(agent.mcpUrl, { message: "go" })).text).toBe("alone");
    expect(models.requests[0]?.tools).toEqual([]);
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({
      results: [{ isError: true, text: 'There is no tool named "mcp__memory__read_graph".' }],
    });
    await vi.waitFor(async () => expect((await agent.health.check()).status).toBe("degraded"));
  });

  test("sends its token to no other server", async () => {
    const memory = await keep(startToolServer({ read_graph: () => textResult("own") }));
    const registry = await keep(startRegistry());
    const { agent } = await start(registry.url, undefined, [renderTestServer("memory", memory.url)]);
    await ask(agent.mcpUrl, { message: "***CALL_TOOL memory__read_graph {}" });
    await agent.health.check();
    expect(new Set(memory.authorizations)).toEqual(new Set([null]));
  });
});

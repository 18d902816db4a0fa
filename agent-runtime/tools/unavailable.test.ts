// A server that lends no tools now: the model is told, the caller is told, and health says so although a probe is answered.
import { describe, expect, test, vi } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { connect2026 } from "../testing/client.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult, type TestAgent } from "../testing/servers.ts";
import { startTwistedServer } from "../testing/twisted-server.ts";

const keep = keepUntilEnd();
const metaKey = "ca.helu.pallas/unavailable_servers";

async function send(agent: TestAgent, bearer?: string) {
  const connection = await connect2026(agent.mcpUrl, bearer);
  const signal = new AbortController().signal;
  const { meta } = await connection.callTool("send_message", { message: "go" }, { signal, idleTimeoutMs: 60_000 });
  await connection.close();
  return meta?.[metaKey];
}

const readHealth = async (agent: TestAgent) => {
  const { status, message, downstreams } = await agent.health.check();
  const metrics = await (await fetch(`${agent.adminUrl}/metrics`)).text();
  return { status, message, argos: downstreams["argos"], up: /downstream_up\{.*argos.*\} (\d)/.exec(metrics)?.[1] };
};

describe("HLT-2 a server that answers a probe and lists no tools", () => {
  test("is named to the model and to the caller, and degrades the agent until it lists them again", async () => {
    const argos = await keep(startTwistedServer({ "tools/list": () => new Response(null, { status: 202 }) }));
    const models = createScriptedModels([{ text: "ok" }]);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models }));
    expect(await readHealth(agent)).toMatchObject({ status: "ok", up: "1" });
    expect(await send(agent)).toEqual(["argos"]);
    expect(models.requests[0]?.system).toContain("Tools of argos are unavailable now.");
    expect(models.requests[0]?.tools).toEqual([]);
    await vi.waitFor(async () => expect(await readHealth(agent)).toMatchObject({ status: "degraded" }), 10_000);
    expect(await readHealth(agent)).toMatchObject({
      message: "Unreachable: argos",
      argos: {
        ok: false,
        detail: `${argos.url} answered with HTTP 202 and no result; check that the URL is an MCP endpoint`,
      },
      up: "0",
    });
    argos.twists = {};
    // Without any call: health asks again itself.
    await vi.waitFor(async () => expect(await readHealth(agent)).toMatchObject({ status: "ok", up: "1" }), 15_000);
    expect(await send(agent)).toBeUndefined();
    expect(models.requests[1]?.system).not.toContain("unavailable");
    expect(models.requests[1]?.tools).toHaveLength(1);
  }, 40_000);

  test("is named once, beside others that lend theirs", async () => {
    const neo4j = await keep(startToolServer({ query: () => textResult("rows") }));
    const models = createScriptedModels([{ text: "ok" }]);
    const dead = ["b", "a"].map((name) => renderTestServer(name, "http://127.0.0.1:1/mcp"));
    const agent = await keep(startAgent({ servers: [...dead, renderTestServer("neo4j", neo4j.url)] }, { models }));
    expect(await send(agent)).toEqual(["b", "a"]);
    expect(models.requests[0]?.system).toMatch(/^.*\n\nTools of b, a are unavailable now\. [^\n]*$/);
    expect(models.requests[0]?.tools).toHaveLength(1);
  });

  test("is not one that has no tools, or none for this agent", async () => {
    const [none, denied] = [
      await keep(startToolServer({})),
      await keep(startToolServer({ read: () => textResult("x") })),
    ];
    const models = createScriptedModels([{ text: "ok" }]);
    const servers = [renderTestServer("none", none.url), renderTestServer("denied", denied.url, { deny: ["*"] })];
    const agent = await keep(startAgent({ servers }, { models }));
    expect(await send(agent)).toBeUndefined();
    expect(models.requests[0]?.system).not.toContain("unavailable");
  });
});

describe("HLT-3 a server that gets its callers' tokens", () => {
  const start = async (answer: () => Response) => {
    const argos = await keep(startTwistedServer({ "tools/list": answer }));
    const servers = [renderTestServer("argos", argos.url, { forwardInboundAuth: true })];
    const agent = await keep(startAgent({ servers }, { models: createScriptedModels([{ text: "ok" }]) }));
    return { argos, agent };
  };

  test("and lists no tools for one of them degrades the agent, and nobody asks again in that caller's name", async () => {
    const { argos, agent } = await start(() => new Response(null, { status: 503 }));
    expect(await send(agent, "one")).toEqual(["argos"]);
    const asked = argos.authorizations.length;
    expect(await readHealth(agent)).toMatchObject({ status: "degraded", argos: { ok: false } });
    expect(argos.authorizations.slice(asked)).not.toContain("Bearer one");
  });

  test("and refuses one of them is well", async () => {
    const { agent } = await start(() => new Response(null, { status: 401 }));
    expect(await send(agent, "one")).toEqual(["argos"]);
    expect(await readHealth(agent)).toMatchObject({ status: "ok", argos: { ok: true } });
  });
});

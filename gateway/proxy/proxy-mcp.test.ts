// MCP itself through the proxy, by clients of both majors and eras: what they do with an agent, they do by way of it.
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { nameGatewayCaller } from "../../lib/auth/gateway-caller.ts";
import { createChangingTable, type ChangingTable } from "../../lib/mcp/changing-table.fixture.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { serveMcp, type McpVariables } from "../../lib/mcp/serve.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { startProxy, type TestProxy } from "./proxy.fixture.ts";

let agent: { url: string; stop(): Promise<void> };
let proxy: TestProxy;
let table: ChangingTable;

async function startAgent() {
  table = createChangingTable();
  const log = createLogger({ logger: "test", level: "SILENT", destination: { write: () => undefined } });
  const sessions = { idleTtlMs: 60_000, max: 100 };
  const endpoint = serveMcp(table.table, { log, bodyLimitBytes: 1_000_000, callers: "either", sessions });
  const app = new Hono<McpVariables>();
  app.use(nameGatewayCaller);
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const stop = async () => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  return { url: server.url, stop };
}

beforeAll(async () => {
  agent = await startAgent();
  proxy = await startProxy({ mcpUrl: `${agent.url}/mcp`, adminUrl: agent.url }, { maxBodyBytes: 1_000_000 });
});
afterAll(async () => {
  await proxy.stop();
  await agent.stop();
});

describe.each(resourceClients)("MGM-1 $name through the gateway", ({ connect }) => {
  test("lists, reads, subscribes, hears of changes and leaves nothing running", async () => {
    const client = await connect(`${proxy.url}/proxy/clerk/mcp`, "ann");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["always"]);
    expect(await client.read("note://a")).toBe(await (await connectDirectly(connect)).read("note://a"));
    await client.subscribe(["note://a"]);
    table.put("note://a", "changed");
    await vi.waitFor(() => expect(client.heard).toContain("note://a"));
    expect(await client.read("note://a")).toBe("changed");
    await client.close();
    await vi.waitFor(() => expect(proxy.count()).toBe(0));
  });
});

const connectDirectly = (connect: (typeof resourceClients)[number]["connect"]) => connect(`${agent.url}/mcp`, "ann");

describe("MGM-1 a session of the 2025 era", () => {
  const post = (url: string, caller: string, message: object, session?: string) =>
    fetch(url, {
      method: "POST",
      headers: {
        "x-caller": caller,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const initialize = { id: 1, method: "initialize", params };
  const list = { id: 2, method: "tools/list" };

  test("is its opener's alone: another who knows its id, by the gateway or past it, gets 404, and a restart of the gateway changes nothing", async () => {
    const url = `${proxy.url}/proxy/clerk/mcp`;
    const opened = await post(url, "ann", initialize);
    await opened.text();
    const session = opened.headers.get("mcp-session-id") ?? "";
    const statusOf = async (at: string, caller: string) => (await post(at, caller, list, session)).status;
    expect(await statusOf(url, "ann")).toBe(200);
    expect(await statusOf(url, "bob")).toBe(404);
    expect(await statusOf(`${agent.url}/mcp`, "ann")).toBe(404);
    const stopped = await fetch(url, { method: "DELETE", headers: { "x-caller": "bob", "mcp-session-id": session } });
    expect(stopped.status).toBe(404);
    const next = await startProxy({ mcpUrl: `${agent.url}/mcp`, adminUrl: agent.url });
    expect(await statusOf(`${next.url}/proxy/clerk/mcp`, "ann")).toBe(200);
    expect(await statusOf(`${next.url}/proxy/clerk/mcp`, "bob")).toBe(404);
    await next.stop();
  });

  test("that was opened past the gateway is nobody's there", async () => {
    const opened = await post(`${agent.url}/mcp`, "ann", initialize);
    await opened.text();
    const session = opened.headers.get("mcp-session-id") ?? "";
    expect((await post(`${proxy.url}/proxy/clerk/mcp`, "ann", list, session)).status).toBe(404);
    expect((await post(`${agent.url}/mcp`, "ann", list, session)).status).toBe(200);
  });
});

// The built gateway before a real API server: a client that knows the one tool finds and calls a tool of a server that nobody started by hand,
// lists follow the resources, and what is stopped is found after a restart by what its status says.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect2025, connect2026, type ToolClient } from "../../gateway/testing/tool-clients.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import { staticTools, type ToolEntry } from "../../lib/mcp/table.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const patience = { timeout: 30_000 };
const access = [
  { role: "operator", serviceAccount: { name: "on-call" } },
  { role: "caller", serviceAccount: { name: "audit" }, servers: ["other"] },
];
const gatewaySpec = { management: "readWrite", access, pinnedTools: ["notes__write_note"] };
const tool = (name: string, description: string): ToolEntry => ({
  name,
  description,
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "What it says." } },
    required: ["text"],
  },
  call: async (args) => ({ content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }] }),
});
const find = { action: "find_tool", query: "notes search the notes for a text" };
const called = { content: [{ text: 'search_notes {"text":"a"}' }], isError: false };

describe.skipIf(clusterMissing())("DSC-2 DSC-3 DSC-5 discovery at a gateway before a real API server", () => {
  let space: WatchedNamespace;
  let gateway: GatewayProcess;
  let server: { url: string; close(): Promise<void> };
  const tokens = new Map<string, string>();
  const open: ToolClient[] = [];

  const connect = async (account: string, connectTo = connect2026, path = "/mcp") => {
    const headers = { authorization: `Bearer ${tokens.get(account)}` };
    const client = await connectTo(`${gateway.url}${path}`, headers);
    open.push(client);
    return client;
  };
  const act = async (account: string, args: object) =>
    (await (await connect(account)).call("registry", { ...args })).structuredContent;
  const apply = (spec: object) =>
    space.apply({
      apiVersion: "pallas.helu.ca/v1alpha1",
      kind: "PallasServer",
      metadata: { name: "notes" },
      spec: { instanceRef: { name: "team" }, remote: { url: server.url }, description: "Notes of the team.", ...spec },
    });

  beforeAll(async () => {
    const log = createLogger({ logger: "test", level: "SILENT" });
    const tools = staticTools([
      tool("search_notes", "Search the notes for a text."),
      tool("write_note", "Write a note."),
    ]);
    const table = { server: { name: "notes", version: "1" }, tools, prompts: [] };
    const sessions = { idleTtlMs: 60_000, max: 100 };
    const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions });
    const app = await listen(endpoint.app.fetch, { port: 0, hostname: "127.0.0.1", log });
    server = {
      url: `${app.url}/mcp`,
      async close() {
        await endpoint.close();
        await app.close({ graceMs: 0 });
      },
    };
    space = await watchNamespace("gateway-discovery");
    await space.apply(instance({ gateway: gatewaySpec }));
    for (const account of ["on-call", "audit"]) {
      await space.kubectl("create", "serviceaccount", account);
      const path = `/api/v1/namespaces/${space.name}/serviceaccounts/${account}/token`;
      const spec = { audiences: [`pallas:${space.name}/team`] };
      const { body } = await callApi(cluster(), { method: "POST", path, body: { spec } });
      tokens.set(account, JSON.parse(body).status.token);
    }
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    gateway = await startGateway(space, "team");
  }, 120_000);
  afterAll(async () => {
    await Promise.all(open.map((client) => client.close().catch(() => undefined)));
    await gateway?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
    await server?.close();
  });

  it("a client that knows the one tool finds and calls a tool of a server that nobody started by hand", async () => {
    await apply({});
    const client = await connect("on-call", connect2026, "/registry/mcp");
    const ask = async () => (await client.call("registry", { ...find, auto_activate: false })).structuredContent;
    await expect.poll(ask, patience).toMatchObject({
      found: true,
      call_as: "mcp__notes__search_notes",
      required_args: [{ name: "text", type: "string", description: "What it says." }],
    });
    const proxied = { action: "proxy_call", call_as: "mcp__notes__search_notes", arguments: { text: "a" } };
    expect(await client.call("registry", proxied)).toMatchObject(called);
    expect(await client.call("mcp__notes__search_notes", { text: "a" })).toMatchObject(called);
    expect(await client.list()).toEqual(["registry", "notes__write_note"]);
  });

  it("searches by meaning too: other words count", async () => {
    const about = async (query: string) => await act("on-call", { action: "find_tool", query, auto_activate: false });
    const { score, top_score: topScore = score } = (await about("memo")) ?? {};
    expect(topScore).toBeGreaterThan(0);
    expect(await about("xyzzy")).toMatchObject({ found: false, top_score: 0 });
  });

  it("who is narrowed to other servers finds, lists and calls nothing of it", async () => {
    const narrow = await connect("audit");
    expect((await narrow.call("registry", find)).structuredContent).toMatchObject({ found: false });
    expect((await narrow.list()).filter((name) => name.startsWith("notes__"))).toEqual([]);
    await expect(narrow.call("mcp__notes__search_notes")).rejects.toThrow("Unknown tool");
  });

  it.each([
    ["2025", connect2025],
    ["2026", connect2026],
  ] as const)("lists follow spec.listed, and clients of the %s era hear of it", async (_, connectTo) => {
    await apply({ listed: false });
    const [client, narrow] = [await connect("on-call", connectTo), await connect("audit", connectTo)];
    const listed = async () => (await client.list()).includes("notes__search_notes");
    await expect.poll(listed, patience).toBe(false);
    const before = client.heard();
    await apply({ listed: true });
    await expect.poll(() => client.heard(), patience).toBeGreaterThan(before);
    expect(await listed()).toBe(true);
    expect(narrow.heard()).toBe(0);
  });

  it("activates and deactivates by its resource", async () => {
    const client = await connect("on-call");
    const specOf = async () => (await space.get("pallasserver", "notes")).spec;
    const { structuredContent } = await client.call("registry", { action: "deactivate", name: "notes" });
    expect(structuredContent).toEqual({ status: "deactivated" });
    expect(await specOf()).toMatchObject({ active: false, listed: false });
    expect(await client.list()).not.toContain("notes__search_notes");
    expect(await act("on-call", { action: "activate", name: "notes" })).toEqual({ status: "activated", tool_count: 2 });
    expect(await specOf()).toMatchObject({ active: true, listed: true });
  });

  it("finds what was stopped before it started, and an operator's call starts it", async () => {
    const pinned = async () => (await space.get("pallasserver", "notes")).status?.["pinned"];
    await expect.poll(pinned, patience).toHaveLength(2);
    await act("on-call", { action: "deactivate", name: "notes" });
    gateway = await gateway.restart();
    const client = await connect("on-call");
    const ask = async () => (await client.call("registry", find)).structuredContent;
    await expect.poll(ask, patience).toMatchObject({
      call_as: "mcp__notes__search_notes",
      required_args: [],
      next_step: expect.stringContaining("the call starts its server"),
    });
    expect(await client.call("mcp__notes__search_notes", { text: "a" })).toMatchObject(called);
    expect((await space.get("pallasserver", "notes")).spec).toMatchObject({ active: true, listed: false });
    await expect.poll(ask, patience).toMatchObject({ required_args: [{ name: "text" }] });
  });

  it("counts what it does", async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^pallas_gateway_registry_actions_total\{.*action="find_tool".*outcome="ok".*\} [1-9]/m);
    expect(metrics).toMatch(/^pallas_gateway_indexed_tools\{?.*\}? 2$/m);
  });
});

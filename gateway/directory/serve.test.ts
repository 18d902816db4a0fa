// The directory as a gateway serves it, over real HTTP: who is let in where, what needs no token, what an agent finds by its own, and
// what of local mode outlives its process.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { createScene } from "../approvals/testing/scene.ts";
import { openPolicy } from "../policy/testing/open-policy.ts";
import { createManagementTable } from "../management/table.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { noPresets } from "../state/presets.ts";
import { testConfig } from "../testing/resources.ts";
import { emptyState, serveGateway } from "../testing/served-gateway.ts";
import { maxRegistrationsFileBytes, openLocalStore } from "./local-store.ts";
import { serveDirectory } from "./serve.ts";
import { createMemoryStore, person } from "./testing/directory.ts";

const log = createLogger({ logger: "test", level: "FATAL" });
const everything = { agents: ["*"], servers: ["*"] };
const access = [
  { who: { tokens: { name: "tokens", key: "caller" } }, as: { role: "caller" as const, ...everything } },
  { who: { tokens: { name: "tokens", key: "narrow" } }, as: { role: "viewer" as const, agents: [], servers: [] } },
  { who: { tokens: { name: "tokens", key: "clerk" } }, as: { agent: "clerk" } },
];
const ready = {
  type: "Ready",
  status: "True",
  reason: "r",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
} as const;
const clerk = { ...sampleAgent("clerk"), status: { conditions: [ready], url: "http://clerk.agents.svc:8080/mcp" } };
const serverCard = {
  serverInfo: { name: "Weather", version: "1" },
  endpoints: { streamableHttp: "https://w.example/mcp" },
  tools: [{ name: "get_weather" }],
};

async function serve({ isPublic = false, unready }: { isPublic?: boolean; unready?: string } = {}) {
  const config = testConfig({ access, ...(isPublic && { directory: { public: true } }) });
  const state = { ...emptyState(() => unready), listAgents: () => [clerk] };
  const directory = serveDirectory({ config, state, store: createMemoryStore(), log, clock: systemClock });
  const table = createManagementTable({
    ...{
      policy: openPolicy(),
      state,
      presets: noPresets,
      rules: { mode: "cluster" as const },
      container: { version: "1" },
      furtherTools: directory.tools,
      approvals: createScene().approvals,
      proposals: { list: () => [], edit: async () => undefined, onChange: () => () => undefined },
    },
    ...{ readAgentsToken: async () => "token", log, clock: systemClock },
  });
  // As the way to an agent's compositor, which comes first.
  const compositor = new Hono<GatewayRoutes>();
  compositor.all("/mcp", async (c, next) =>
    c.get("caller").kind === "agent" ? c.text("compositor", 418) : await next(),
  );
  const { routes, publicReads } = directory;
  const gateway = await serveGateway({
    config,
    table,
    routes: [compositor, routes],
    ...(publicReads && { publicReads }),
  });
  onTestFinished(async () => {
    await directory.close();
    await table.close();
  });
  gateway.state.unready = unready;
  for (const { who } of access) await gateway.allow(who.tokens.key, `${who.tokens.key}-token`);
  const ask = async (
    path: string,
    { as, method = "GET", body }: { as?: string; method?: string; body?: unknown } = {},
  ) =>
    await fetch(`${gateway.url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...(as !== undefined && { authorization: `Bearer ${as}-token` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const connect = async (as: string, path: string, pin = "2026-07-28") => {
    const versionNegotiation = { mode: pin === "2026-07-28" ? { pin } : ("legacy" as const) };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation });
    const headers = { authorization: `Bearer ${as}-token` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway.url}${path}`), { requestInit: { headers } }),
    );
    onTestFinished(() => client.close());
    return client;
  };
  return { ask, connect, table };
}

describe("DIR-1 DIR-3 the directory behind a gateway's guard", () => {
  it("takes a token for everything, and gives its own answers beside the other routes", async () => {
    const { ask } = await serve();
    for (const path of ["/discover/agents", "/mcp/servers", "/mcp/servers/x", "/agents/x"]) {
      expect((await ask(path)).status, path).toBe(401);
      expect((await ask(path, { as: "clerk" })).status, path).toBe(403);
    }
    const posted = await ask("/mcp/servers", { as: "caller", method: "POST", body: { serverCard } });
    expect(posted.status).toBe(201);
    const { id } = await posted.json();
    expect(await (await ask(`/mcp/servers/${id}`, { as: "caller" })).json()).toEqual({
      ...serverCard,
      id,
      isLive: true,
    });
    const page = await (await ask("/discover/agents", { as: "caller" })).json();
    expect(page).toMatchObject({ totalCount: 2, items: [{ name: "Weather" }, { name: "clerk" }] });
    expect((await ask("/agents", { as: "caller" })).status).toBe(404);
    expect((await ask("/mcp/serverss", { as: "caller" })).status).toBe(404);
  });

  it("lists of the instance's own what the caller sees", async () => {
    const { ask } = await serve();
    expect((await (await ask("/discover/agents", { as: "narrow" })).json()).totalCount).toBe(0);
    const { items } = await (await ask("/discover/agents", { as: "caller" })).json();
    expect((await ask(`/agents/${items[0].id}`, { as: "caller" })).status).toBe(200);
    expect((await ask(`/agents/${items[0].id}`, { as: "narrow" })).status).toBe(404);
  });

  it("is read by everybody with directory.public, and says nothing of owners to them", async () => {
    const { ask } = await serve({ isPublic: true });
    const { id } = await (await ask("/mcp/servers", { as: "caller", method: "POST", body: { serverCard } })).json();
    expect(await (await ask(`/mcp/servers/${id}`)).json()).toEqual({ ...serverCard, id, isLive: true });
    expect((await (await ask("/mcp/servers")).json()).totalCount).toBe(2);
    const ownerOf = async (as?: string) =>
      (await (await ask("/discover/agents", as === undefined ? {} : { as })).json()).items[0].ownerId;
    expect(await ownerOf()).toBeNull();
    expect(await ownerOf("caller")).toMatch(/^token /);
    expect((await ask("/discover/agents?protocol=SOAP")).status).toBe(400);
    expect((await ask("/mcp/servers/none")).status).toBe(404);
    for (const [path, method] of [
      [`/agents/${id}`, "GET"],
      ["/agents", "POST"],
      ["/mcp/servers", "POST"],
      ["/mcp", "POST"],
      ["/directory/mcp", "POST"],
    ] as const) {
      expect((await ask(path, { method, ...(method === "POST" && { body: {} }) })).status, path).toBe(401);
    }
    expect((await ask("/discover/agents", { as: "wrong" })).status).toBe(401);
    expect((await ask("/discover/agents?access_token=x")).status).toBe(400);
  });

  it("answers nobody before what it lists was read", async () => {
    const { ask } = await serve({ isPublic: true, unready: "not read yet: pallasregistrations" });
    expect((await ask("/discover/agents")).status).toBe(503);
    expect((await ask("/discover/agents", { as: "caller" })).status).toBe(503);
  });
});

describe("DIR-3 DIR-4 the directory's MCP tools", () => {
  it.each(["2026-07-28", "2025-11-25"])("are all that an agent finds by its own token, in %s", async (pin) => {
    const { ask, connect } = await serve();
    const { id } = await (await ask("/mcp/servers", { as: "caller", method: "POST", body: { serverCard } })).json();
    const client = await connect("clerk", "/directory/mcp", pin);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "discover_agents",
      "get_mcp_server_card",
    ]);
    expect(client.getServerCapabilities()?.resources).toBeUndefined();
    const { structuredContent } = await client.callTool({
      name: "discover_agents",
      arguments: { tags: ["tool", "mcp"], capability: "get_weather" },
    });
    expect(structuredContent).toEqual({
      agents: [
        {
          id,
          name: "Weather",
          capabilities: [{ name: "get_weather", tags: ["tool", "mcp"] }],
          capability_count: 1,
          endpoints: [{ protocol: "MCP", transport: "Http", address: "https://w.example/mcp", liveness: "live" }],
        },
      ],
      total_count: 1,
      page: 1,
      total_pages: 1,
    });
    const { content } = await client.callTool({ name: "get_mcp_server_card", arguments: { id } });
    expect(content).toEqual([
      { type: "text", text: `${JSON.stringify(serverCard).slice(0, -1)},"id":"${id}","isLive":true}` },
    ]);
    for (const name of ["agents_list", "agents_prompt", "agents_delete"]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/not found|unknown/i);
    }
    expect((await ask("/mcp", { as: "clerk", method: "POST", body: {} })).status).toBe(418);
  });

  it("are all that an agent would find on the management server, too, were it let in there", async () => {
    const { table } = await serve();
    const requester = {
      caller: { kind: "agent" as const, agent: "clerk", subject: "agent clerk", name: "agent:clerk" },
      era: "2026" as const,
    };
    expect((await table.tools.list(requester)).map(({ name }) => name)).toEqual([
      "discover_agents",
      "get_mcp_server_card",
    ]);
    expect(table.tools.find("agents_list", requester)).toBeUndefined();
    expect(table.tools.find("discover_agents", requester)).toBeDefined();
  });

  it("refuse in a sentence, as a result that a model reads", async () => {
    const { connect } = await serve();
    const client = await connect("clerk", "/directory/mcp");
    const refused = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    expect(await refused("discover_agents", { protocol: "SOAP" })).toMatchObject({
      error: { type: "invalid", message: expect.stringContaining("is none of") },
    });
    expect(await refused("get_mcp_server_card", { id: "none" })).toMatchObject({ error: { type: "not_found" } });
  });

  it("are on the management server for people", async () => {
    const { connect } = await serve();
    for (const path of ["/mcp", "/directory/mcp"]) {
      const names = (await (await connect("narrow", path)).listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["discover_agents", "get_mcp_server_card"]));
      expect(names.includes("agents_list")).toBe(path === "/mcp");
    }
  });
});

describe("DIR-1 the directory of pallas up", () => {
  const registration = (name: string, card = "") => ({
    ...{
      apiVersion: "pallas.helu.ca/v1alpha1" as const,
      kind: "PallasRegistration" as const,
      metadata: { name, namespace: "agents" },
    },
    spec: {
      instanceRef: { name: "ouranos" },
      owner: "o",
      name,
      card,
      registeredAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
    },
  });
  const caller = person("caller");
  const place = async () => {
    const folder = await mkdtemp(join(tmpdir(), "directory-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return join(folder, "state", "registrations.json");
  };

  it("keeps registrations in a file of its user's own, for the next process", async () => {
    const path = await place();
    const first = await openLocalStore({ path, log });
    await Promise.all(["a", "b", "c"].map(async (name) => await first.put(registration(name), caller)));
    await first.put(registration("b", "changed"), caller);
    await first.remove("a", caller);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await openLocalStore({ path, log });
    expect(second.list()).toEqual([registration("c"), registration("b", "changed")]);
    expect(second.list()).toBe(second.list());
  });

  it("puts a file aside that it cannot read, and begins anew", async () => {
    const path = await place();
    await (await openLocalStore({ path, log })).put(registration("a"), caller);
    await writeFile(path, '{"schema":1,"registrations":[{}]}');
    expect((await openLocalStore({ path, log })).list()).toEqual([]);
    expect(await readFile(`${path}.faulty`, "utf8")).toBe('{"schema":1,"registrations":[{}]}');
  });

  it(`refuses what would make the file longer than ${maxRegistrationsFileBytes} bytes, and keeps what it has`, async () => {
    const store = await openLocalStore({ path: await place(), log });
    await store.put(registration("a"), caller);
    const frameBytes = Buffer.byteLength(`${JSON.stringify({ schema: 1, registrations: [registration("a")] })}\n`);
    await store.put(registration("a", "x".repeat(maxRegistrationsFileBytes - frameBytes)), caller);
    await expect(
      store.put(registration("a", "x".repeat(maxRegistrationsFileBytes - frameBytes + 1)), caller),
    ).rejects.toThrow(/remove a registration first/);
    expect(store.list()[0]?.spec.card).toHaveLength(maxRegistrationsFileBytes - frameBytes);
  });
});

// Which tools of servers stand in whose list (DSC-5), over real HTTP with clients of both eras, and who hears that a list changed.
import { describe, expect, it } from "vitest";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { person } from "../management/testing/management.ts";
import { openDiscoveryScene, type DiscoverySceneOptions } from "../testing/discovery-scene.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";

const patience = { timeout: 5_000 };

async function openMemory(options: DiscoverySceneOptions = {}, spec: object = {}) {
  const scene = await openDiscoveryScene(options);
  const graph = { ...echoTool("read_graph"), description: "Read the knowledge graph." };
  const note = { ...echoTool("write_note"), description: "Write a note into memory." };
  const server = await startMcpServer([graph, note]);
  scene.state.put(remoteServer("memory", server.url, spec));
  await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(2);
  return { ...scene, server, put: (now: object) => scene.state.put(remoteServer("memory", server.url, now)) };
}

const find = { action: "find_tool", query: "memory read the knowledge graph" };

describe.each(["2025", "2026"] as const)("DSC-5 lists of a client of the %s era", (era) => {
  it("have the registry tool alone while nothing is listed, pinned or found", async () => {
    const { connect } = await openMemory();
    expect(await (await connect(era, "caller")).list()).toEqual(["registry"]);
  });

  it("have tools of servers that are listed, and hear when these come and go", async () => {
    const { connect, put } = await openMemory({}, { listed: true });
    const client = await connect(era, "caller");
    const both = ["registry", "memory__read_graph", "memory__write_note"];
    expect(await client.list()).toEqual(both);
    put({ listed: false });
    await expect.poll(() => client.heard(), patience).toBe(1);
    expect(await client.list()).toEqual(["registry"]);
    put({ listed: true });
    await expect.poll(() => client.heard(), patience).toBe(2);
    expect(await client.list()).toEqual(both);
    put({ listed: true, active: false });
    await expect.poll(() => client.heard(), patience).toBe(3);
    expect(await client.list()).toEqual(["registry"]);
  });

  it("are told of again, though a change was taken back before it was told of", async () => {
    const { connect, put } = await openMemory({}, { listed: true });
    const client = await connect(era, "caller");
    put({ listed: false });
    await expect.poll(() => client.heard(), patience).toBe(1);
    put({ listed: true });
    expect(await client.list()).toHaveLength(3);
    put({ listed: false });
    await expect.poll(() => client.heard(), patience).toBe(2);
    expect(await client.list()).toEqual(["registry"]);
  });

  it("have pinned tools, of what is there and callable", async () => {
    const pinnedTools = ["memory__write_note", "memory__gone", "other__tool"];
    const { connect, admit } = await openMemory({ pinnedTools });
    admit("narrow", person("caller", { servers: ["other"] }));
    expect(await (await connect(era, "caller")).list()).toEqual(["registry", "memory__write_note"]);
    expect(await (await connect(era, "narrow")).list()).toEqual(["registry"]);
    expect(await (await connect(era, "viewer")).list()).toEqual(["registry"]);
  });

  it("have what find_tool found, until its server is deactivated", async () => {
    const { connect } = await openMemory();
    const client = await connect(era, "operator");
    expect(await client.call("registry", find)).toMatchObject({ structuredContent: { tool: "read_graph" } });
    await expect.poll(() => client.heard(), patience).toBe(1);
    expect(await client.list()).toEqual(["registry", "memory__read_graph"]);
    // Found again it is there already.
    await client.call("registry", find);
    await client.call("registry", { action: "deactivate", name: "memory" });
    await expect.poll(() => client.heard(), patience).toBe(2);
    expect(await client.list()).toEqual(["registry"]);
  });

  it("do not have it with auto_activate: false", async () => {
    const { connect } = await openMemory();
    const client = await connect(era, "caller");
    await client.call("registry", { ...find, auto_activate: false });
    await client.call("registry", { action: "find_tools", intents: [find.query], auto_activate: false });
    expect([await client.list(), client.heard()]).toEqual([["registry"], 0]);
  });

  it("are nobody else's: others neither see what was found nor hear of it", async () => {
    const { connect } = await openMemory();
    const [finder, other] = [await connect(era, "caller"), await connect(era, "admin")];
    await finder.call("registry", find);
    await expect.poll(() => finder.heard(), patience).toBe(1);
    expect([await other.list(), other.heard()]).toEqual([["registry"], 0]);
  });

  it("who may not call a server's tools does not hear that they changed", async () => {
    const { connect, put, admit } = await openMemory({}, { listed: true });
    admit("narrow", person("caller", { servers: ["other"] }));
    const [one, narrow, viewer] = [
      await connect(era, "caller"),
      await connect(era, "narrow"),
      await connect(era, "viewer"),
    ];
    put({ listed: false });
    await expect.poll(() => one.heard(), patience).toBe(1);
    expect([narrow.heard(), viewer.heard()]).toEqual([0, 0]);
  });

  it.each(["mcp__memory__read_graph", "memory__read_graph"])(
    "%s is called whether it is listed or not",
    async (name) => {
      const { connect, calls } = await openMemory();
      const client = await connect(era, "caller");
      expect(await client.call(name, { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }], isError: false });
      expect(calls.page(1, 0, () => true).entries).toMatchObject([{ server: "memory", tool: "read_graph" }]);
    },
  );

  it("what may not be called is unknown, as what is not there is", async () => {
    const { connect, admit } = await openMemory();
    admit("narrow", person("caller", { servers: ["other"] }));
    for (const [caller, name] of [
      ["narrow", "memory__read_graph"],
      ["viewer", "memory__read_graph"],
      ["caller", "memory__gone"],
      ["caller", "gone__tool"],
    ] as const) {
      const client = await connect(era, caller);
      await expect(client.call(name)).rejects.toThrow(`Unknown tool: ${name}`);
    }
  });
});

describe("DSC-5 lists of the 2025 era and of the 2026 era differ", () => {
  it("a session's is its own, though another of the same caller is open", async () => {
    const { connect } = await openMemory();
    const [first, second] = [await connect("2025", "caller"), await connect("2025", "caller")];
    await first.call("registry", find);
    await expect.poll(() => first.heard(), patience).toBe(1);
    expect(await first.list()).toContain("memory__read_graph");
    expect([await second.list(), second.heard()]).toEqual([["registry"], 0]);
  });

  it("without sessions it is the caller's, for an hour", async () => {
    const clock = new ManualClock();
    const { connect, state, servers } = await openDiscoveryScene({ clock });
    const server = await startMcpServer([{ ...echoTool("read_graph"), description: "Read the knowledge graph." }]);
    state.put(remoteServer("memory", server.url));
    await servers.all()[0]?.check();
    await clock.advance(100);
    const [first, second] = [await connect("2026", "caller"), await connect("2026", "caller")];
    await expect
      .poll(async () => (await first.call("registry", find)).structuredContent)
      .toMatchObject({ found: true });
    await clock.advance(60 * 60_000 - 1);
    expect(await second.list()).toContain("memory__read_graph");
    await clock.advance(1);
    expect(await second.list()).toEqual(["registry"]);
  });
});

describe("DSC-5 names in lists", () => {
  it("that vendors of models refuse, or that are over 64 characters, are replaced, and called as they are listed", async () => {
    const { connect, state } = await openDiscoveryScene();
    const long = "t".repeat(59);
    const { url } = await startMcpServer([echoTool(long), echoTool(`${long}t`), echoTool("do__this")]);
    state.put(remoteServer("abc", url, { listed: true }));
    state.put(remoteServer("dotted", url, { serverName: "my.server", listed: true, tools: { allow: ["do__this"] } }));
    const client = await connect("2026", "caller");
    await expect.poll(async () => (await client.list()).length, patience).toBe(5);
    const names = await client.list();
    expect(names).toContain(`abc__${long}`);
    expect(names).toContain("abc__do__this");
    const others = names.filter((name) => /_[0-9a-f]{8}$/.test(name));
    expect(others).toHaveLength(2);
    for (const name of [...names.slice(1), `mcp__abc__${long}t`, "my.server__do__this", "mcp__my.server__do__this"]) {
      expect(name.length <= 64 || name.startsWith("mcp__")).toBe(true);
      expect(await client.call(name, { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }], isError: false });
    }
  });
});

describe("DSC-3 the registry alone, at /registry/mcp", () => {
  it.each(["2025", "2026"] as const)(
    "agents that were given it find and call what they are allowed to, %s",
    async (era) => {
      const { connect, admit, state } = await openMemory({}, { listed: true });
      const tools = { deny: ["memory__write_*"] };
      state.putAgent(sampleAgent("clerk", { servers: [{ name: "registry", tools }] }));
      admit("clerk", { kind: "agent", subject: "agent clerk", agent: "clerk", name: "agent:clerk" });
      const client = await connect(era, "clerk", "/registry/mcp");
      expect(await client.list()).toEqual(["registry", "memory__read_graph"]);
      expect((await client.call("registry", find)).structuredContent).toMatchObject({
        call_as: "mcp__memory__read_graph",
      });
      expect(await client.call("mcp__memory__read_graph")).toMatchObject({ isError: false });
      await expect(client.call("memory__write_note")).rejects.toThrow("Unknown tool");
      const { structuredContent } = await client.call("registry", { action: "activate", name: "memory" });
      expect(structuredContent).toMatchObject({ error: { type: "forbidden" } });
      expect((await client.call("registry", { action: "list" })).structuredContent).toEqual({
        servers: [expect.objectContaining({ name: "memory", tool_count: 1 })],
      });
    },
  );

  it("agents that were not given it are told how, and people need a role", async () => {
    const { admit, state, url } = await openMemory();
    state.putAgent(sampleAgent("clerk"));
    admit("clerk", { kind: "agent", subject: "agent clerk", agent: "clerk", name: "agent:clerk" });
    admit("nobody", person(undefined));
    const ask = async (caller: string) => {
      const answer = await fetch(`${url}/registry/mcp`, {
        method: "POST",
        headers: { "x-caller": caller },
        body: "{}",
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await ask("clerk")).toMatchObject({ status: 403, text: expect.stringContaining("{ name: registry }") });
    expect(await ask("nobody")).toMatchObject({ status: 403, text: expect.stringContaining("viewer") });
  });
});

// MGM-4 an agent's servers in one place, by real servers and by the clients of both SDKs and eras; and what servers that lie,
// hang or change may do to it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { serveChangingTable, type ServedTable } from "../../lib/mcp/changing-table.fixture.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { openCompositor, startCompositor } from "../testing/compositor.ts";
import { createTestGateway } from "../testing/gateway.ts";
import { renderTestServer } from "../testing/run-config.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";
import { startTwistedServer } from "../testing/twisted-server.ts";
import { maxResourcesPerMount } from "./mounted-resources.ts";
import { maxToolsPerMount } from "./mounts.ts";

const keep = keepUntilEnd();
const start = startCompositor;
const open = async (url: string, token?: string) =>
  await openCompositor(url, token === undefined ? {} : { authorization: `Bearer ${token}` });

const greet = () =>
  startToolServer({ greet: ({ who }) => textResult(`hello ${String(who)}`), hide: () => textResult("") });
const hanging = () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });

describe("MGM-4 the compositor of an agent", () => {
  test("is on the admin port of an agent whose instance has a gateway, and nowhere without one", async () => {
    const server = renderTestServer("a", (await keep(greet())).url);
    const { readLive, sign } = await createTestGateway();
    const agent = await keep(startAgent({ servers: [server], gateway: true }, { readLive }));
    const { names } = await keep(open(`${agent.adminUrl}/compositor/mcp`, await sign()));
    expect(await names()).toEqual(["a__greet", "a__hide"]);
    expect((await fetch(`${agent.url}/compositor/mcp`, { method: "POST" })).status).toBe(404);
    const without = await keep(startAgent({ servers: [server] }));
    expect((await fetch(`${without.adminUrl}/compositor/mcp`, { method: "POST" })).status).toBe(404);
  });

  test("connects to no server before somebody asks", async () => {
    const server = await keep(greet());
    const compositor = await keep(start([renderTestServer("a", server.url)]));
    const { names } = await keep(open(compositor.url));
    expect(server.authorizations).toEqual([]);
    await names();
    expect(server.authorizations).not.toEqual([]);
  });

  test("has tools under the names that the agent has for them, without those it may not use, and calls the right server", async () => {
    const [a, b] = [await keep(greet()), await keep(greet())];
    const servers = [renderTestServer("a", a.url, { deny: ["hide"] }), renderTestServer("b", b.url, { prefix: "bee" })];
    const { names, call } = await keep(open((await keep(start(servers))).url));
    expect(await names()).toEqual(["a__greet", "bee__greet", "bee__hide"]);
    expect(await call("bee__greet", { who: "you" })).toMatchObject({ content: [{ type: "text", text: "hello you" }] });
    expect([a.seen.length, b.seen.length]).toEqual([0, 1]);
    await expect(call("a__hide")).rejects.toThrow("Unknown tool: a__hide");
  });

  test("DSC-1 has no registry, which the same token leads to at the gateway", async () => {
    const [own, registry] = [await keep(greet()), await keep(greet())];
    const servers = [renderTestServer("a", own.url), renderTestServer("registry", registry.url, { registry: true })];
    const { names } = await keep(open((await keep(start(servers))).url));
    expect(await names()).toEqual(["a__greet", "a__hide"]);
    expect(registry.authorizations).toEqual([]);
  });

  test("sends configured headers, and no token of a caller even where a server forwards them", async () => {
    const server = await keep(greet());
    const mounted = renderTestServer("a", server.url, { forwardInboundAuth: true });
    const compositor = await keep(start([mounted]));
    const client = new Client({ name: "test", version: "1.0.0" });
    const requestInit = { headers: { authorization: "Bearer agents-own" } };
    await client.connect(new StreamableHTTPClientTransport(new URL(compositor.url), { requestInit }));
    await client.callTool({ name: "a__greet", arguments: {} });
    await client.close();
    expect(new Set(server.authorizations)).toEqual(new Set([null]));
  });
});

describe.each(resourceClients)("MGM-4 resources of mounts, by $name", ({ connect }) => {
  test("are listed and read in one place, each server's under its own name, and changes are passed on", async () => {
    const [one, two]: ServedTable[] = [await keep(serveChangingTable()), await keep(serveChangingTable())];
    if (one === undefined || two === undefined) throw new Error("expected two servers");
    const compositor = await keep(start([renderTestServer("one", one.url), renderTestServer("two", two.url)]));
    const client = await connect(compositor.url, "ann");
    const stop = () => client.close();
    await keep(Promise.resolve({ stop }));
    two.put("note://a", "of two");
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toEqual([
      "resource://compositor_meta/state/one",
      "resource://compositor_meta/state/two",
      "mount:one/note://a",
      "mount:one/note://b",
      "mount:two/note://a",
      "mount:two/note://b",
    ]);
    expect(await client.listTemplates()).toMatchObject({
      resourceTemplates: [{ uriTemplate: "mount:one/note://{name}" }, { uriTemplate: "mount:two/note://{name}" }],
    });
    expect([await client.read("mount:one/note://a"), await client.read("mount:two/note://a")]).toEqual([
      "first",
      "of two",
    ]);
    await client.subscribe(["mount:two/note://a"]);
    await vi.waitFor(async () => {
      one.put("note://a", "not followed");
      two.put("note://a", "changed");
      await vi.waitFor(() => expect(client.heard).toContain("mount:two/note://a"), { timeout: 300 });
    });
    expect(client.heard).not.toContain("mount:one/note://a");
    client.heard.length = 0;
    two.announceList();
    await vi.waitFor(() => expect(client.heard).toContain("resources"));
    one.showExtra("somebody");
    await vi.waitFor(() => expect(client.heard).toContain("tools"));
  });
});

describe("MGM-4 a server", () => {
  test("that hangs is failed, is told of to who follows its state, and holds up no call to another", async () => {
    const hung = await keep(startTwistedServer({ "tools/list": hanging }));
    const compositor = await keep(
      start([renderTestServer("hung", hung.url), renderTestServer("well", (await keep(greet())).url)]),
    );
    const { client, names, call, readState } = await keep(open(compositor.url));
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    await client.listen({ resourceSubscriptions: ["resource://compositor_meta/state/hung"] });
    expect(await readState("hung")).toEqual({ server: "hung", prefix: "hung", state: "initializing" });
    await vi.waitFor(async () => expect(await names()).toEqual(["well__greet", "well__hide"]));
    expect(await call("well__greet", { who: "you" })).toMatchObject({ content: [{ text: "hello you" }] });
    expect(await readState("hung")).toMatchObject({
      state: "failed",
      message: expect.stringMatching(/hung|twisted|127/),
    });
    expect(await readState("well")).toEqual({ server: "well", prefix: "well", state: "running", tools: 2 });
    await vi.waitFor(() => expect(heard).toContain("resource://compositor_meta/state/hung"));
    hung.twists = {};
    await vi.waitFor(async () => expect(await names()).toContain("hung__read"));
    expect(await readState("hung")).toMatchObject({ state: "running", tools: 1 });
  });

  test("that is down makes its tools fail with a sentence, and nothing else", async () => {
    const server = await keep(greet());
    const compositor = await keep(start([renderTestServer("a", server.url)]));
    const { call } = await keep(open(compositor.url));
    expect(await call("a__greet", { who: "x".repeat(100_000) })).not.toMatchObject({ isError: true });
    expect(compositor.memory.heldBytes()).toBe(0);
    compositor.counted.length = 0;
    await server.stop();
    const result = await call("a__greet");
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^The tool failed: /) }] });
    expect(compositor.memory.heldBytes()).toBe(0);
    expect(compositor.counted).toEqual([{ server: "a", operation: "tool", outcome: "error" }]);
  });

  test("that lies about names takes none of another's, and hides none", async () => {
    const lies = ["greet", "greet", "b__greet", "a\u0000b", "x".repeat(300), "__proto__"];
    const liar = await keep(
      startTwistedServer({
        "tools/list": () => ({ tools: lies.map((name) => ({ name, inputSchema: { type: "object" } })) }),
      }),
    );
    const honest = await keep(greet());
    // Both want to be `a__b__greet`.
    const servers = [
      renderTestServer("liar", liar.url, { prefix: "a" }),
      renderTestServer("honest", honest.url, { prefix: "a__b" }),
    ];
    const { names, call } = await keep(open((await keep(start(servers))).url));
    const listed = await names();
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.every((name) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))).toBe(true);
    expect(await call("a__b__greet")).toMatchObject({ content: [{ text: "read it" }] });
    const other = listed.find((name) => /^a__b__greet_[0-9a-f]{8}$/.test(name)) ?? "";
    expect(await call(other, { who: "you" })).toMatchObject({ content: [{ text: "hello you" }] });
  });

  test("that lists one resource twice, or one of another's, lists its own once", async () => {
    const capabilities = { tools: {}, resources: {} };
    const serverInfo = { name: "twisted", version: "1.0.0" };
    const uris = ["note://a", "note://a", "mount:other/note://a", "resource://compositor_meta/state/liar"];
    const liar = await keep(
      startTwistedServer({
        initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }),
        "resources/templates/list": () => ({ resourceTemplates: [] }),
        "resources/list": () => ({ resources: uris.map((uri) => ({ uri, name: "x" })) }),
        "resources/read": () => ({ contents: [{ uri: "mount:other/note://a", text: "mine" }] }),
      }),
    );
    const { client } = await keep(open((await keep(start([renderTestServer("liar", liar.url)]))).url));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "resource://compositor_meta/state/liar",
      "mount:liar/note://a",
      "mount:liar/mount:other/note://a",
      "mount:liar/resource://compositor_meta/state/liar",
    ]);
    expect(await client.readResource({ uri: "mount:liar/note://a" })).toMatchObject({
      contents: [{ uri: "mount:liar/mount:other/note://a", text: "mine" }],
    });
    await expect(client.readResource({ uri: "mount:other/note://a" })).rejects.toThrow("Resource not found");
  });

  test.each([
    [maxToolsPerMount, maxToolsPerMount],
    [maxToolsPerMount + 1, maxToolsPerMount],
    [20_000, maxToolsPerMount],
  ])("with %i tools lends %i of them", async (offered, lent) => {
    const tools = Array.from({ length: offered }, (_, at) => ({ name: `t${at}`, inputSchema: { type: "object" } }));
    const server = await keep(startTwistedServer({ "tools/list": () => ({ tools }) }));
    const compositor = await keep(start([renderTestServer("big", server.url)]));
    const { names } = await keep(open(compositor.url));
    expect(await names()).toHaveLength(lent);
    expect(compositor.lines.some(({ left }) => left === offered - lent)).toBe(offered > lent);
  });

  test.each([maxResourcesPerMount, maxResourcesPerMount + 1])(
    "with %i resources lists no more than 1000",
    async (offered) => {
      const capabilities = { tools: {}, resources: {} };
      const serverInfo = { name: "twisted", version: "1.0.0" };
      const resources = Array.from({ length: offered }, (_, at) => ({ uri: `note://${at}`, name: "x" }));
      const server = await keep(
        startTwistedServer({
          initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }),
          "resources/templates/list": () => ({ resourceTemplates: [] }),
          "resources/list": () => ({ resources }),
        }),
      );
      const { client } = await keep(open((await keep(start([renderTestServer("big", server.url)]))).url));
      expect((await client.listResources()).resources).toHaveLength(maxResourcesPerMount + 1); // and its state
    },
  );
});

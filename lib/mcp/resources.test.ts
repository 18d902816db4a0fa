// Tables whose tools and resources change and differ between callers, with real HTTP and the SDKs' own clients.
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ServedTable, serveChangingTable } from "./changing-table.fixture.ts";
import { maxPageEntries } from "./list-pages.ts";
import { resourceClients } from "./resource-clients.fixture.ts";
import { createTestTable } from "./endpoint.fixture.ts";
import { serveMcp } from "./serve.ts";
import { callMessage, openSession, post, readMessages } from "./raw-client.fixture.ts";
import { createLogger } from "../process/log.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(...args: Parameters<typeof serveChangingTable>): Promise<ServedTable> {
  const served = await serveChangingTable(...args);
  closing.push(served.stop);
  return served;
}

async function open(client: (typeof resourceClients)[number], served: ServedTable, caller = "somebody") {
  const opened = await client.connect(served.url, caller);
  closing.push(opened.close);
  return opened;
}

describe.each(resourceClients)("MGM-2 resources of a table, with $name", (kind) => {
  test("are declared with subscriptions, listed and read", async () => {
    const client = await open(kind, await serve());
    expect(client.capabilities).toMatchObject({
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://a", "note://b"]);
    expect(await client.listTemplates()).toMatchObject({ resourceTemplates: [{ uriTemplate: "note://{name}" }] });
    expect(await client.read("note://a")).toBe("first");
  });

  test("that a caller may not read are unknown to it: not listed, not read, answered as what is not there", async () => {
    const served = await serve();
    const client = await open(kind, served);
    const failure = async (uri: string) => await client.read(uri).catch((error: unknown) => error);
    const hidden = await failure("note://secret/x");
    expect(hidden).toMatchObject({ code: kind.notFoundCode, data: { uri: "note://secret/x" } });
    const unknown = await failure("note://secret/y");
    expect(JSON.stringify(hidden).replaceAll("secret/x", "")).toBe(JSON.stringify(unknown).replaceAll("secret/y", ""));
    expect(served.reads).toEqual([]);
    const admin = await open(kind, served, "admin");
    expect(await admin.read("note://secret/x")).toBe("hidden");
    expect((await admin.listResources()).resources).toHaveLength(3);
  });

  test("are told to whoever subscribed to them until it unsubscribes, and to nobody else", async () => {
    const served = await serve();
    const client = await open(kind, served);
    const other = await open(kind, served);
    await client.subscribe(["note://a"]);
    await other.subscribe(["note://b"]);
    served.put("note://a", "changed");
    await vi.waitFor(() => expect(client.heard).toEqual(["note://a"]));
    expect(await client.read("note://a")).toBe("changed");
    await client.unsubscribe("note://a");
    served.put("note://a", "again");
    served.put("note://b", "again");
    await vi.waitFor(() => expect(other.heard).toEqual(["note://b"]));
    expect(client.heard).toEqual(["note://a"]);
  });

  test("cannot be subscribed to by a caller who may not read them, nor when they are not there", async () => {
    const served = await serve();
    const client = await open(kind, served);
    await expect(client.subscribe(["note://secret/x"])).rejects.toThrow(/not found|not acknowledged/);
    await expect(client.subscribe(["note://secret/none"])).rejects.toThrow(/not found|not acknowledged/);
    await expect(client.subscribe([`note://${"x".repeat(1_000_000)}`])).rejects.toThrow(/not found|not acknowledged/);
    await client.subscribe(["note://a"]);
    served.put("note://secret/x", "changed");
    served.put("note://a", "changed");
    await vi.waitFor(() => expect(client.heard).toEqual(["note://a"]));
  });

  test("and tools have lists whose changes are told to those whom they concern", async () => {
    const served = await serve();
    const client = await open(kind, served, "first");
    const other = await open(kind, served, "second");
    await client.subscribe(["note://a"]);
    await other.subscribe(["note://b"]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["always"]);
    served.showExtra("first");
    await vi.waitFor(() => expect(client.heard).toEqual(["tools"]));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["always", "extra"]);
    expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(["always"]);
    served.announceList();
    await vi.waitFor(() => expect([client.heard, other.heard]).toEqual([["tools", "resources"], ["resources"]]));
  });

  test("that cannot be read because of a problem say nothing of it to the caller", async () => {
    const served = await serve();
    const client = await open(kind, served);
    served.put("note://b", "broken");
    const failure: unknown = await client.read("note://b").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: -32603, message: expect.not.stringContaining("hunter2") });
    expect(served.logLines.join("")).toContain("resource handler threw");
  });

  test("tools keep icons and _meta on the wire", async () => {
    const client = await open(kind, await serve());
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ icons: [{ sizes: ["any"] }], _meta: { "ca.example/kind": "test" } }]);
  });

  test("a list of tools longer than a page comes in pages", async () => {
    const served = await serve();
    const many = Array.from({ length: maxPageEntries + 1 }, (_, at) => ({
      name: `tool-${at}`,
      description: "",
      inputSchema: { type: "object" as const },
      call: async () => ({ content: [] }),
    }));
    served.table.tools.list = () => many;
    const client = await open(kind, served);
    const first = await client.listTools();
    // The second SDK's client asks for the pages that follow by itself.
    const rest = first.nextCursor === undefined ? [] : (await client.listTools(first.nextCursor)).tools;
    expect([...first.tools, ...rest].map(({ name }) => name)).toEqual(many.map(({ name }) => name));
    await expect(client.listTools("bm9uZQ")).rejects.toThrow("Invalid cursor");
  });
});

test("AGT-6 a table without resources offers none, and refuses to be asked for them", async () => {
  const log = createLogger({ logger: "test", level: "SILENT" });
  const sessions = { idleTtlMs: 60_000, max: 10 };
  const endpoint = serveMcp(createTestTable([]), { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions });
  closing.push(() => endpoint.close());
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => endpoint.app.request(url, init));
  closing.push(async () => void vi.unstubAllGlobals());
  const session = await openSession("http://localhost/mcp");
  for (const method of ["resources/list", "resources/read", "resources/subscribe"]) {
    const message = { ...callMessage("x"), method, params: { uri: "note://a" } };
    const [answer] = await readMessages(await post("http://localhost/mcp", message, session));
    expect(answer).toMatchObject({ error: { code: -32601 } });
  }
});

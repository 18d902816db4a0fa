import { describe, expect, it } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import type { CommandServers } from "./command-servers.ts";
import { serveTester } from "./testing/served-tester.ts";
import { startTried } from "./testing/tried-servers.ts";
import { transientBounds } from "./transients.ts";

const open = async (parts: Parameters<typeof serveTester>[1] = {}) => {
  const server = await startTried("2025");
  const tester = await serveTester({}, parts);
  const create = (body: object = {}, as = "alice") =>
    tester.ask("/api/transient", { body: { url: server.url, ...body }, as });
  return { server, create, ...tester };
};

describe("DSC-9 a transient server", () => {
  it("is connected to, and says what it is", async () => {
    const { create } = await open();
    const before = systemClock.wallNow();
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toMatchObject({ serverVersion: { name: "tried", version: "1.2.3" } });
    expect(body["tools"]).toHaveLength(11);
    expect(body["capabilities"]).toHaveProperty("prompts");
    expect(body["serverName"]).toBe(body["handle"]);
    expect(Number(body["expiresAt"])).toBeGreaterThanOrEqual(before + transientBounds.idleTtlMs);
  });

  it("is tried as any other, by its handle", async () => {
    const { create, ask, entries } = await open();
    const { handle } = (await create()).body;
    const at = `/api/transient/${String(handle)}`;
    expect((await ask(`${at}/call`, { body: { tool: "echo", args: { a: 1 } } })).body).toMatchObject({
      structuredContent: { a: 1 },
    });
    expect(entries).toMatchObject([{ isTransient: true, entry: { kind: "call", tool: "echo", success: true } }]);
    const { body } = await ask(`${at}/export?format=cursor`);
    expect(Object.keys(Object(Object(body["config"]).mcpServers))[0]).toMatch(/^transient-[0-9a-f]{8}$/);
  });

  it("is its opener's alone, and nobody else ends it", async () => {
    const { create, ask } = await open();
    const at = `/api/transient/${String((await create()).body["handle"])}`;
    expect((await ask(`${at}/info`, { as: "bob" })).status).toBe(404);
    expect((await ask(at, { method: "DELETE", as: "bob" })).body).toEqual({ ok: true });
    expect((await ask(`${at}/info`)).status).toBe(200);
  });

  it("ends with DELETE, at the server too; a second one does no harm", async () => {
    const { create, ask, server } = await open();
    const at = `/api/transient/${String((await create()).body["handle"])}`;
    expect(server.sessions()).toBe(1);
    expect((await ask(at, { method: "DELETE" })).body).toEqual({ ok: true });
    expect(server.sessions()).toBe(0);
    expect((await ask(`${at}/info`)).status).toBe(404);
    expect((await ask(at, { method: "DELETE" })).body).toEqual({ ok: true });
  });

  it("gets its headers, which nobody is ever shown", async () => {
    const { create, ask, server, entries } = await open();
    const { body } = await create({ headers: { "X-Key": "hunter2-hunter2" } });
    expect(server.seen.every((headers) => headers.get("x-key") === "hunter2-hunter2")).toBe(true);
    const at = `/api/transient/${String(body["handle"])}`;
    const shown = [body, (await ask(`${at}/info`)).body, (await ask(`${at}/export`)).body, entries];
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });

  it.each([
    ["no address", { url: undefined }],
    ["both", { command: "npx" }],
    ["a file", { url: "file:///etc/passwd" }],
    ["a password in the URL", { url: "https://a:b@example.com/mcp" }],
    ["a header that is the protocol's", { headers: { "Mcp-Session-Id": "x" } }],
    ["a header of two lines", { headers: { a: "b\r\nc: d" } }],
    ["a name of a header that is none", { headers: { "a b": "c" } }],
    ["33 headers", { headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`h${n}`, "x"])) }],
    ["headers with a command", { url: undefined, command: "npx", headers: {} }],
    ["eleven minutes", { ttl_ms: 11 * 60_000 }],
    ["an unknown transport", { transport: "sse" }],
  ])("is refused with %s", async (_what, body) => {
    const { create } = await open();
    expect((await create(body)).status).toBe(422);
  });

  it("takes 32 headers", async () => {
    const { create } = await open();
    const headers = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`h${n}`, "x"]));
    expect((await create({ headers })).status).toBe(201);
  });

  it.each(["http://169.254.169.254/mcp", "http://[fe80::1]/mcp"])("reaches no refused address (%s)", async (url) => {
    const { create, ask } = await open();
    expect((await create({ url })).status).toBe(502);
    expect((await ask("/api/logs/notifications")).body).toEqual({ entries: [] });
  });

  it("that cannot be reached takes no place", async () => {
    const { create } = await open();
    for (let n = 0; n < 6; n += 1) expect((await create({ url: "http://127.0.0.1:9/mcp" })).status).toBe(502);
    expect((await create()).status).toBe(201);
  });

  it("is one of four of a caller; the fifth is refused until one is gone", async () => {
    const { create, ask } = await open();
    const handles: string[] = [];
    for (let n = 0; n < 4; n += 1) handles.push(String((await create()).body["handle"]));
    expect((await create()).status).toBe(429);
    expect((await create({}, "bob")).status).toBe(201);
    await ask(`/api/transient/${handles[0]}`, { method: "DELETE" });
    expect((await create()).status).toBe(201);
  });

  it("is one of so many of all", async () => {
    const { create } = await open({ bounds: { transients: { ...transientBounds, max: 2 } } });
    expect((await create({}, "alice")).status).toBe(201);
    expect((await create({}, "bob")).status).toBe(201);
    expect((await create({}, "carol")).status).toBe(503);
  });

  it("ends when nobody used it for its time", async () => {
    const clock = new ManualClock();
    const { create, ask, server } = await open({ clock });
    const at = `/api/transient/${String((await create({ ttl_ms: 60_000 })).body["handle"])}`;
    await clock.advance(59_000);
    expect((await ask(`${at}/info`)).status).toBe(200);
    await clock.advance(59_000);
    expect((await ask(`${at}/info`)).status).toBe(200);
    await clock.advance(80_000);
    expect((await ask(`${at}/info`)).status).toBe(404);
    await expect.poll(() => server.sessions()).toBe(0);
  });

  it("of a command is removed with its handle, when it cannot be connected to, and when the gateway closes", async () => {
    const tried = await startTried("2026");
    const removed: string[] = [];
    const commands = (url: string): CommandServers => ({
      open: async () => ({ name: "transient-abc", url, remove: async () => void removed.push(url) }),
      close: () => undefined,
    });
    const body = { command: "npx", args: ["-y", "x"] };
    const good = await serveTester({}, { commands: commands(tried.url) });
    const { status, body: opened } = await good.ask("/api/transient", { body, role: "operator" });
    expect(status).toBe(201);
    await good.ask(`/api/transient/${String(opened["handle"])}`, { method: "DELETE" });
    expect(removed).toEqual([tried.url]);
    const gone = "http://127.0.0.1:9/mcp";
    const bad = await serveTester({}, { commands: commands(gone) });
    expect((await bad.ask("/api/transient", { body, role: "operator" })).status).toBe(502);
    expect(removed).toEqual([tried.url, gone]);
    await good.ask("/api/transient", { body, role: "operator" });
    await good.close();
    expect(removed).toEqual([tried.url, gone, tried.url]);
  });
});

// The WebSocket over real HTTP: what it says when, what it takes, and what becomes of clients that send too much or read too little.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Identity } from "../../lib/auth/roles.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { echoTool, openServerScene, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { createFeed, maxClients, maxMessageBytes, maxMessagesPerSecond, pingMs } from "./feed.ts";

const log = createLogger({ logger: "test", level: "SILENT" });

async function open(clock: Clock = systemClock, viewer: { expiresAtMs?: number } = {}) {
  const scene = openServerScene({ arguments: "redacted" });
  const feed = createFeed({
    policy: scene.policy,
    servers: scene.servers,
    calls: scene.calls,
    version: "1.1.0",
    clock,
  });
  const app = new Hono<GatewayRoutes>();
  const identities: Record<string, Identity> = {
    viewer: {
      kind: "person",
      subject: "somebody viewer",
      name: "somebody viewer",
      groups: [],
      role: "viewer",
      ...viewer,
    },
    caller: { kind: "person", subject: "somebody caller", name: "somebody caller", groups: [], role: "caller" },
    narrow: { kind: "person", subject: "narrow", name: "narrow", groups: [], role: "viewer", servers: ["other-*"] },
    nobody: { kind: "person", subject: "nobody", name: "nobody", groups: [] },
  };
  app.use(async (c, next) => {
    c.set(
      "caller",
      identities[c.req.query("as") ?? "viewer"] ?? { kind: "person", subject: "nobody", name: "nobody", groups: [] },
    );
    await next();
  });
  app.route("/", feed.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log, upgrades: true });
  onTestFinished(async () => {
    feed.close();
    await server.close({ graceMs: 0 });
  });
  const join = async (path = "/ws") => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`);
    const messages: Record<string, unknown>[] = [];
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    socket.addEventListener("message", ({ data }) => void messages.push(JSON.parse(String(data))));
    onTestFinished(() => socket.close());
    const isOpen = await Promise.race([once(socket, "open").then(() => true), closed.then(() => false)]);
    if (!isOpen) throw new Error("refused");
    const next = async (type: string) => {
      await expect.poll(() => messages.some((each) => each["type"] === type)).toBe(true);
      return messages.find((each) => each["type"] === type);
    };
    return { socket, messages, closed, next };
  };
  return { ...scene, feed, server, join };
}

/** A client that reads nothing and answers no pings. */
async function joinSilently(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
  socket.write(`GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`);
  return socket;
}

describe("DSC-10 what a WebSocket says", () => {
  it("is the whole state on connecting, at / and at /ws", async () => {
    const { join, state, servers } = await open();
    const mcp = await startMcpServer([echoTool("read_file")]);
    state.put(remoteServer("filesystem", mcp.url));
    await expect.poll(() => servers.all()[0]?.tools?.length).toBe(1);
    for (const path of ["/", "/ws"]) {
      const { next } = await join(path);
      const anyId = expect.any(Number);
      expect(await next("state")).toEqual({
        type: "state",
        version: "1.1.0",
        servers: [
          {
            id: anyId,
            name: "filesystem",
            active: true,
            health_status: "healthy",
            error_count: 0,
            tools: [{ id: anyId, name: "read_file", description: "The tool read_file." }],
          },
        ],
        active: [{ name: "filesystem", tools: [{ name: "read_file", description: "The tool read_file." }] }],
      });
    }
  });

  it("is the state again when it changes, and when it is asked for", async () => {
    const { join, state } = await open();
    const { messages, socket, next } = await join();
    expect(await next("state")).toMatchObject({ servers: [] });
    state.put(remoteServer("filesystem", "http://127.0.0.1:9/mcp"));
    await expect.poll(() => messages.at(-1)).toMatchObject({ servers: [{ name: "filesystem" }] });
    const before = messages.length;
    socket.send(JSON.stringify({ type: "refresh" }));
    await expect.poll(() => messages.length).toBeGreaterThan(before);
    expect(messages.at(-1)).toMatchObject({ type: "state" });
  });

  it("is each call as it is noted, to those who see its server, and its arguments to approvers alone", async () => {
    const { join, calls } = await open();
    const [viewer, narrow] = [await join("/ws?as=viewer"), await join("/ws?as=narrow")];
    const facts = { timestamp: "2026-11-23T09:00:00.000Z", tool: "read", latency_ms: 4, success: true, caller: "x" };
    calls.add({ ...facts, kind: "call", server: "filesystem", args: { path: "/a" } });
    calls.add({ ...facts, kind: "ping", server: "other-one" });
    expect(await viewer.next("log_entry")).toEqual({
      type: "log_entry",
      entry: { ...facts, id: 1, kind: "call", server: "filesystem", args: null, response: null },
    });
    expect(await narrow.next("log_entry")).toMatchObject({ entry: { id: 2, kind: "ping", server: "other-one" } });
    expect(narrow.messages.filter(({ type }) => type === "log_entry")).toHaveLength(1);
  });

  it("is what a server says during a call, to who calls, in the interface's shapes", async () => {
    const { join, calls } = await open();
    const [viewer, caller] = [await join("/ws?as=viewer"), await join("/ws?as=caller")];
    const ts = "2026-11-23T09:00:00.000Z";
    const facts = {
      timestamp: ts,
      server: "files",
      tool: "t",
      latency_ms: 0,
      success: true,
      caller: "somebody caller",
    };
    calls.pass({ ...facts, kind: "notification" }, { method: "notifications/message", params: { level: "info" } });
    calls.pass({ ...facts, kind: "progress" }, { token: 1, progress: { progress: 1, total: 3, message: "a" } });
    expect(await caller.next("notification")).toEqual({
      type: "notification",
      serverName: "files",
      method: "notifications/message",
      params: { level: "info" },
      ts,
    });
    expect(await caller.next("progress")).toEqual({
      type: "progress",
      serverName: "files",
      payload: { token: 1, progress: 1, total: 3, message: "a" },
      ts,
    });
    await expect.poll(() => viewer.messages.filter(({ type }) => type === "log_entry")).toHaveLength(2);
    expect(viewer.messages.map(({ type }) => type)).not.toContain("progress");
    // They push out nothing of what was called.
    expect(calls.size).toBe(0);
  });
});

describe("DSC-10 SEC-6 what a WebSocket takes", () => {
  it.each(["{", "[]", "7", '{"type":"other"}', "\u0000"])("answers %j with an error, and goes on", async (text) => {
    const { join } = await open();
    const { socket, next } = await join();
    socket.send(text);
    expect(await next("error")).toEqual({ type: "error", message: expect.stringContaining("refresh") });
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("is 4096 bytes at most: at the limit they are read, one more closes with 1009", async () => {
    const { join } = await open();
    const frame = (bytes: number) => {
      const bare = JSON.stringify({ type: "refresh", x: "" });
      return JSON.stringify({ type: "refresh", x: "a".repeat(bytes - bare.length) });
    };
    const { socket, messages, closed, next } = await join();
    await next("state");
    socket.send(frame(maxMessageBytes));
    await expect.poll(() => messages.filter(({ type }) => type === "state").length).toBe(2);
    socket.send(frame(maxMessageBytes + 1));
    expect(await closed).toBe(1009);
  });

  it("is so many messages in a second, and one more closes with 1008", async () => {
    const { join } = await open(new ManualClock());
    const { socket, messages, closed, next } = await join();
    await next("state");
    for (let count = 0; count < maxMessagesPerSecond; count += 1) socket.send("{");
    await expect.poll(() => messages.filter(({ type }) => type === "error").length).toBe(maxMessagesPerSecond);
    socket.send("{");
    expect(await closed).toBe(1008);
  });

  it("is fifty clients: one more gets 503, and one that leaves makes room", async () => {
    const { join, feed, server } = await open();
    const all = [];
    for (let count = 0; count < maxClients; count += 1) all.push(await join());
    expect(feed.countClients()).toBe(50);
    await expect(join()).rejects.toThrow("refused");
    const refused = await joinSilently(server.port);
    const [answer] = await once(refused, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5/i);
    all[0]?.socket.close();
    await expect.poll(() => feed.countClients()).toBe(49);
    await join();
  });

  it("is nobody without the role viewer", async () => {
    const { join, feed } = await open();
    await expect(join("/ws?as=nobody")).rejects.toThrow("refused");
    expect(feed.countClients()).toBe(0);
  });
});

describe("DSC-10 a client that is no more, or should not be", () => {
  it("is gone when it answers no ping until the next one, and one that answers stays", async () => {
    const clock = new ManualClock();
    const { join, feed, server } = await open(clock);
    const { socket, next } = await join();
    await next("state");
    const silent = await joinSilently(server.port);
    await expect.poll(() => feed.countClients()).toBe(2);
    const closed = once(silent, "close");
    silent.resume();
    await clock.advance(pingMs);
    // The answer of the one that lives must be here.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await clock.advance(pingMs);
    await closed;
    expect([feed.countClients(), socket.readyState]).toEqual([1, WebSocket.OPEN]);
  });

  it("SEC-6 that reads nothing is owed a bounded rest of what was said meanwhile, and then the state as it is", async () => {
    const { calls, feed, server, state } = await open();
    const silent = await joinSilently(server.port);
    await expect.poll(() => feed.countClients()).toBe(1);
    silent.pause();
    const facts = { timestamp: "t", tool: "t".repeat(1_000), latency_ms: 0, success: true, caller: "x", server: "s" };
    const count = 60_000;
    for (let at = 0; at < count; at += 1) {
      calls.pass({ ...facts, kind: "call" }, { method: "m", params: null });
      if (at % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    state.put(remoteServer("the-last-one", "http://127.0.0.1:9/mcp"));
    let bytes = 0;
    let tail = "";
    silent.resume();
    silent.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      tail = (tail + chunk.toString("latin1")).slice(-10_000);
    });
    await expect.poll(() => tail).toContain("the-last-one");
    // The kernel's own buffers are some megabytes; what was said are more than sixty.
    expect(bytes).toBeLessThan(20_000_000);
  });

  it("ends with its token, and with the gateway", async () => {
    const clock = new ManualClock();
    const expiring = await open(clock, { expiresAtMs: clock.wallNow() + 5_000 });
    const { closed, next } = await expiring.join();
    await next("state");
    await clock.advance(5_000);
    expect(await closed).toBe(1008);
    const draining = await open();
    const client = await draining.join();
    await client.next("state");
    draining.server.setDraining();
    expect(await client.closed).toBe(1001);
  });
});

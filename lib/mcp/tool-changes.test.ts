// Subscriptions to a server's tools outlive their streams, and hinder nothing.
import { afterEach, describe, expect, test, vi } from "vitest";
import { connectMcp, type McpConnection } from "./connect.ts";
import { answer, startServer2025, startServer2026 } from "./downstream-servers.fixture.ts";
import { reopenFirstMs } from "./tool-changes.ts";

const running: { stop(): Promise<void> }[] = [];
const connections: McpConnection[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(running.splice(0).map((app) => app.stop()));
});

async function connect(server: { url: string; stop(): Promise<void> }): Promise<McpConnection> {
  running.push(server);
  const signal = new AbortController().signal;
  const options = { url: server.url, clientName: "test", clientVersion: "1.0.0", signal, connectTimeoutMs: 2_000 };
  const connection = await connectMcp(options);
  connections.push(connection);
  return connection;
}

const patient = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };
const isListen = (request: Request) => request.headers.get("mcp-method") === "subscriptions/listen";
const isStream = (request: Request) => request.method === "GET";
const cutStream = () =>
  new Response(new ReadableStream({ start: (controller) => controller.close() }), {
    headers: { "content-type": "text/event-stream" },
  });

describe("the stream on which a server tells that its tools changed", () => {
  test("is opened again in the 2026 era when it ends, and then heard", { timeout: 15_000 }, async () => {
    const seen: Request[] = [];
    const server = await startServer2026(seen);
    server.answerInstead = (request) => (isListen(request) ? cutStream() : undefined);
    const connection = await connect(server);
    const changed = vi.fn();
    connection.onToolsChanged = changed;
    await vi.waitFor(() => expect(seen.filter(isListen)).toHaveLength(1));
    delete server.answerInstead;
    const say = () => {
      server.handler.notify.toolsChanged();
      expect(changed).toHaveBeenCalled();
    };
    await vi.waitFor(say, { timeout: reopenFirstMs * 8, interval: 100 });
    expect(seen.filter(isListen).length).toBeGreaterThan(1);
  });

  test("is opened again in the 2025 era when it ends, and then heard", { timeout: 15_000 }, async () => {
    const seen: Request[] = [];
    const server = await startServer2025(seen);
    server.answerInstead = (request) => (isStream(request) ? cutStream() : undefined);
    const connection = await connect(server);
    const changed = vi.fn();
    connection.onToolsChanged = changed;
    await vi.waitFor(() => expect(seen.filter(isStream)).toHaveLength(1));
    delete server.answerInstead;
    const say = async () => {
      await server.server.sendToolListChanged();
      expect(changed).toHaveBeenCalled();
    };
    await vi.waitFor(say, { timeout: reopenFirstMs * 8, interval: 100 });
  });

  test("hinders neither connecting nor calling when it never answers", async () => {
    const server = await startServer2026();
    server.answerInstead = (request) => (isListen(request) ? new Promise<Response>(() => undefined) : undefined);
    const connection = await connect(server);
    expect(await connection.callTool("only", {}, patient)).toMatchObject(answer);
  });

  test("is not asked for again from a server that has none", async () => {
    const seen: Request[] = [];
    const server = await startServer2026(seen);
    const error = { code: -32_601, message: "Method not found" };
    server.answerInstead = (request) =>
      isListen(request) ? Response.json({ jsonrpc: "2.0", id: "listen:0", error }, { status: 404 }) : undefined;
    await connect(server);
    await new Promise((resolve) => setTimeout(resolve, reopenFirstMs * 2.5));
    expect(seen.filter(isListen)).toHaveLength(1);
  });
});

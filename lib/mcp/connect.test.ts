import { Server as Server2025 } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { connectMcp, type McpConnection } from "./connect.ts";
import type { ConnectOptions } from "./open-connection.ts";
import * as downstream from "./downstream-servers.fixture.ts";
import { answer, listed } from "./downstream-servers.fixture.ts";
import { serveOnLoopback, startEndpoint, type ServedApp } from "./endpoint.fixture.ts";
import { systemClock } from "../process/clock.ts";
import { isJsonObject } from "./json-rpc.ts";
import { McpError } from "./mcp-error.ts";

const running: { stop(): Promise<void> }[] = [];
const connections: McpConnection[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(running.splice(0).map((app) => app.stop()));
});

function keep<T extends ServedApp>(app: T): T {
  running.push(app);
  return app;
}

async function connect(url: string, options: Partial<ConnectOptions> = {}): Promise<McpConnection> {
  const connection = await connectMcp({
    url,
    clientName: "test",
    clientVersion: "1.0.0",
    signal: new AbortController().signal,
    connectTimeoutMs: 5_000,
    ...options,
  });
  connections.push(connection);
  return connection;
}

const startServer2025 = async (seen?: Request[]) => keep(await downstream.startServer2025(seen));
const startServer2026 = async () => keep(await downstream.startServer2026());
const never = new AbortController().signal;
const patient = { signal: never, idleTimeoutMs: 5_000 };
describe("AGT-6 the client speaks the era its server speaks", () => {
  test("against a server of the 2025 era only", async () => {
    const { url } = await startServer2025();
    const connection = await connect(url);
    expect(connection.era).toBe("2025");
    expect(await connection.listTools(never)).toEqual(listed.tools);
    expect(await connection.callTool("only", {}, patient)).toEqual(answer);
  });

  test("against a server of the 2026 era only", async () => {
    const { url } = await startServer2026();
    const connection = await connect(url);
    expect(connection.era).toBe("2026");
    expect(await connection.listTools(never)).toMatchObject(listed.tools);
    expect(await connection.callTool("only", {}, patient)).toMatchObject(answer);
  });

  test("against our own endpoint it is the 2026 era, with progress, meta and prompts", async () => {
    const { url } = keep(await startEndpoint());
    const connection = await connect(url);
    const seen: unknown[] = [];
    await connection.callTool("steps", {}, { ...patient, onProgress: (progress) => void seen.push(progress) });
    expect(seen).toHaveLength(3);
    const echo = await connection.callTool("echo", { text: "a" }, patient);
    expect([connection.era, echo.meta]).toMatchObject(["2026", { "ca.example/seen": true }]);
    const prompt = await connection.getPrompt("greeting", { name: "Ada" }, patient);
    expect(prompt.messages).toEqual([{ role: "user", content: { type: "text", text: "Hello Ada" } }]);
  });

  test("a server without tools has an empty list", async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => "s" });
    await new Server2025({ name: "bare", version: "1" }, { capabilities: {} }).connect(transport);
    const { url } = keep(await serveOnLoopback((request) => transport.handleRequest(request)));
    expect(await (await connect(url)).listTools(never)).toEqual([]);
  });

  test.each(["2025", "2026"])("hears that the tools of a %s-era server changed", async (era) => {
    const old = era === "2025" ? await startServer2025() : undefined;
    const modern = era === "2026" ? await startServer2026() : undefined;
    const connection = await connect(old?.url ?? modern?.url ?? "");
    const changed = vi.fn();
    connection.onToolsChanged = changed;
    // Said again until heard: the stream that carries it opens in the background, and the SDK waits 300 ms for more of them.
    const say = async () => {
      await old?.server.sendToolListChanged();
      modern?.handler.notify.toolsChanged();
      await vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 900 });
    };
    await vi.waitFor(say, { timeout: 5_000 });
  });

  test("close ends the session with DELETE and its id, and calls after it are refused as cancelled", async () => {
    const seen: Request[] = [];
    const { url } = await startServer2025(seen);
    const connection = await connect(url);
    await connection.close();
    const last = seen.at(-1);
    expect([last?.method, last?.headers.get("mcp-session-id")]).toEqual(["DELETE", "only-session"]);
    await expect(connection.callTool("only", {}, patient)).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe("a server of an era that is not known", () => {
  const page = () => new Response("<html>", { headers: { "content-type": "text/html" } });
  /** `seen` gets the methods asked for. */
  const startAnswering = async (answers: (method: string) => Response | Promise<Response> | undefined) => {
    const seen: string[] = [];
    const server = await startServer2025();
    server.answerInstead = async (request) => {
      const asked: unknown = await request.clone().json();
      const method = isJsonObject(asked) ? String(asked["method"]) : "";
      seen.push(method);
      return (await answers(method)) ?? server.transport.handleRequest(request);
    };
    return { url: server.url, seen };
  };
  const silence = () => new Promise<Response>(() => undefined);

  test.each([401, 403])("is not asked in the other one where it refuses us with %i", async (status) => {
    const { url, seen } = await startAnswering(() => new Response("no", { status }));
    await expect(connect(url)).rejects.toMatchObject({ kind: "unauthorized" });
    expect(seen).toEqual(["server/discover"]);
  });

  test("gets a quarter of the time for the first question, and the whole for all", async () => {
    const { url } = await startAnswering((method) => (method === "server/discover" ? silence() : undefined));
    const startedAt = systemClock.now();
    expect((await connect(url, { connectTimeoutMs: 2_000 })).era).toBe("2025");
    expect(systemClock.now() - startedAt).toBeGreaterThan(490);
    const silent = await startAnswering(silence);
    await expect(connect(silent.url, { connectTimeoutMs: 400 })).rejects.toMatchObject({ kind: "timeout" });
    expect(silent.seen).toEqual(["server/discover", "initialize"]);
  });

  test("that wakes up slowly and refuses the older one is asked in the newer one again", async () => {
    const server = await startServer2026();
    let asked = 0;
    server.answerInstead = async (request) => {
      asked += 1;
      return asked === 1 ? await silence() : await server.handler.fetch(request);
    };
    expect((await connect(server.url, { connectTimeoutMs: 2_000 })).era).toBe("2026");
    expect(asked).toBe(3);
  });

  test("is asked in the older one alone where that is known", async () => {
    const { url, seen } = await startAnswering(() => undefined);
    expect((await connect(url, { era: "2025" })).era).toBe("2025");
    expect(seen).not.toContain("server/discover");
  });

  test("fails with what it answered in the older one", async () => {
    const { url } = await startAnswering((method) =>
      method === "initialize" ? page() : new Response("", { status: 503 }),
    );
    await expect(connect(url)).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("text/html"),
    });
  });
});

describe("nothing waits without an end", () => {
  const asked = async (): Promise<Record<string, string>> => ({});
  const hanging = () => new Promise<Record<string, string>>(() => undefined);

  test.each([0, 1, 2])("to be connected where the headers come %i times and no more", async (times) => {
    const { url } = await startServer2025();
    let come = 0;
    const headers = () => ((come += 1) > times ? hanging() : asked());
    await expect(connect(url, { headers, connectTimeoutMs: 300 })).rejects.toMatchObject({ kind: "timeout" });
  });

  test("for the result of a call where the headers never come", async () => {
    const { url } = await startServer2025();
    let headers = asked;
    const connection = await connect(url, { headers: () => headers() });
    headers = hanging;
    const late = connection.callTool("only", {}, { ...patient, idleTimeoutMs: 200 });
    await expect(late).rejects.toMatchObject({ kind: "timeout" });
    headers = asked;
  });
});

describe("BRR-2 headers are asked for before each request", () => {
  test("each request carries what the function says then", async () => {
    const seen: Request[] = [];
    const { url } = await startServer2025(seen);
    let token = "first";
    const connection = await connect(url, { headers: async () => ({ authorization: `Bearer ${token}` }) });
    await connection.callTool("only", {}, patient);
    expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(seen.map(() => "Bearer first"));
    seen.length = 0;
    token = "second";
    await connection.callTool("only", {}, patient);
    expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer second"]);
  });
});

describe("errors are one class with a kind and a sentence", () => {
  const failures: [string, (request: Request) => Response, McpError["kind"], RegExp][] = [
    ["HTTP 401", () => new Response("no", { status: 401 }), "unauthorized", /credentials/],
    ["HTTP 403", () => new Response("no", { status: 403 }), "unauthorized", /credentials/],
    ["HTTP 503", () => new Response("no", { status: 503 }), "unreachable", /HTTP 503|503/],
    ["HTTP 404", () => new Response("no", { status: 404 }), "protocol", /HTTP 404.*MCP endpoint/],
    ["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "protocol", /MCP/],
  ];

  test.each(failures)("connecting to a server that answers with %s", async (_name, handler, kind, text) => {
    const { url } = keep(await serveOnLoopback(handler));
    await expect(connect(url)).rejects.toMatchObject({ name: "McpError", kind, message: expect.stringMatching(text) });
  });

  test("a dead port says so, with the place and without the query", async () => {
    const app = await serveOnLoopback(() => new Response());
    await app.stop();
    const failure = await connect(`${app.url}?key=secret`).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(McpError);
    expect(failure).toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp cannot be reached: .*ECONNREFUSED/),
    });
    expect(String(failure)).not.toContain("secret");
  });

  test("a name that does not resolve", async () => {
    await expect(connect("http://nowhere.invalid/mcp")).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test.each(["stdio:thing", "nonsense"])("the URL %s is refused", async (url) => {
    await expect(connect(url)).rejects.toMatchObject({ kind: "protocol", message: expect.stringContaining("http://") });
  });

  test("a silent server is a timeout after the connect deadline, and an aborted signal is cancelled", async () => {
    const { url } = keep(await serveOnLoopback(() => new Promise<Response>(() => undefined)));
    await expect(connect(url, { connectTimeoutMs: 100 })).rejects.toMatchObject({ kind: "timeout" });
    const signal = AbortSignal.timeout(50);
    await expect(connect(url, { signal })).rejects.toMatchObject({ kind: "cancelled" });
  });

  test("a server that opens a stream and stays silent is a timeout too", async () => {
    const headers = { "content-type": "text/event-stream" };
    const silent = () =>
      new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(":\n\n")) }), { headers });
    const { url } = keep(await serveOnLoopback(silent));
    await expect(connect(url, { connectTimeoutMs: 100 })).rejects.toMatchObject({ kind: "timeout" });
  });

  test.each([404, 400])("a server that forgot the session and says so with %i", async (status) => {
    const server = await startServer2025();
    const connection = await connect(server.url);
    server.answerInstead = () => Response.json({ error: { message: "No valid session ID" } }, { status });
    await expect(connection.callTool("only", {}, patient)).rejects.toMatchObject({ kind: "session-lost" });
  });

  test("a JSON-RPC error keeps its code", async () => {
    const { url } = keep(await startEndpoint());
    const call = (await connect(url)).callTool("nope", {}, patient);
    await expect(call).rejects.toMatchObject({
      kind: "protocol",
      code: -32602,
      message: expect.stringContaining("answered with error -32602"),
      said: expect.stringContaining("nope"),
    });
  });
});

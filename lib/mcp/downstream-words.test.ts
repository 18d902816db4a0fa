// What a server asks of its client, and what it says about errors: the model gets a clear sentence without what was sent to
// the server in headers, and a log gets nothing of the server's own words.
import { CallToolRequestSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { renderError } from "../process/error-fields.ts";
import { connectMcp, type McpConnection } from "./connect.ts";
import { startServer2025, startServer2026 } from "./downstream-servers.fixture.ts";
import { isJsonObject } from "./json-rpc.ts";
import { McpError } from "./mcp-error.ts";

const running: { stop(): Promise<void> }[] = [];
const connections: McpConnection[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(running.splice(0).map((app) => app.stop()));
});

const token = "canary-token-1";
const argument = "canary-argument-2";
const patient = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };

async function connect(server: { url: string; stop(): Promise<void> }): Promise<McpConnection> {
  running.push(server);
  const connection = await connectMcp({
    url: server.url,
    headers: { authorization: `Bearer ${token}`, "x-team": "ab" },
    clientName: "test",
    clientVersion: "1.0.0",
    signal: new AbortController().signal,
    connectTimeoutMs: 5_000,
  });
  connections.push(connection);
  return connection;
}

function asMcpError(failure: unknown): McpError {
  if (failure instanceof McpError) return failure;
  throw new Error("expected an McpError", { cause: failure });
}

describe("a server that asks its client for something", () => {
  test.each([
    ["elicitation/create", { message: "Which one?", requestedSchema: { type: "object", properties: {} } }],
    ["sampling/createMessage", { messages: [], maxTokens: 1 }],
    ["roots/list", {}],
  ])("in the 2025 era is refused %s in a sentence that its tool can pass on", async (method, params) => {
    const server = await startServer2025();
    server.server.setRequestHandler(CallToolRequestSchema, async (_request, { sendRequest }) => {
      // As by a server that does not look at what its client can do.
      const refusal: unknown = await sendRequest(JSON.parse(JSON.stringify({ method, params })), z.any()).catch(
        (error: unknown) => error,
      );
      return { isError: true, content: [{ type: "text", text: String(refusal) }] };
    });
    const { content } = await (await connect(server)).callTool("only", {}, patient);
    expect(content).toEqual([{ type: "text", text: expect.stringContaining(`${method} asks for something which`) }]);
    expect(JSON.stringify(content)).toContain(String(ErrorCode.MethodNotFound));
  });

  test("in the 2026 era, by an input_required result, fails the call in a sentence, without another round", async () => {
    const seen: Request[] = [];
    const server = await startServer2026(seen);
    const inputRequests = { a: { method: "elicitation/create", params: { message: "?", requestedSchema: {} } } };
    server.answerInstead = async (request) => {
      if (request.headers.get("mcp-method") !== "tools/call") return server.handler.fetch(request);
      const asked: unknown = await request.json();
      const id = isJsonObject(asked) ? asked["id"] : undefined;
      return Response.json({ jsonrpc: "2.0", id, result: { resultType: "input_required", inputRequests } });
    };
    const call = (await connect(server)).callTool("only", {}, patient);
    await expect(call).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringMatching(/asked for more input during the call, .*must be in its arguments$/),
    });
    expect(seen.filter(({ headers }) => headers.get("mcp-method") === "tools/call")).toHaveLength(1);
  });
});

describe("BRR-4 what a server says about an error", () => {
  const said = `no: Bearer ${token} may not use ${argument}; ab is fine`;
  const id = 7;
  const answers: [string, () => Response][] = [
    ["an HTTP error", () => new Response(said, { status: 500 })],
    ["an HTTP refusal", () => new Response(said, { status: 401, headers: { "www-authenticate": said } })],
    ["a page", () => new Response(said, { headers: { "content-type": "text/html" } })],
    ["broken JSON", () => new Response(said, { headers: { "content-type": "application/json" } })],
    ["no JSON-RPC", () => Response.json({ said })],
    ["an unknown result", () => Response.json({ jsonrpc: "2.0", id, result: { content: [{ type: said }] } })],
    ["an unencrypted redirect", () => new Response(null, { status: 307, headers: { location: `ftp://x/${token}` } })],
  ];

  test.each(answers)("%s is in no log, and tells the model nothing of what was sent", async (_what, answer) => {
    const server = await startServer2025();
    const connection = await connect(server);
    server.answerInstead = answer;
    const failure = await connection
      .callTool("only", { argument }, { ...patient, idleTimeoutMs: 500 })
      .catch((error: unknown) => error);
    const error = asMcpError(failure);
    expect(JSON.stringify(renderError(error))).not.toContain("canary");
    expect(error.tell()).not.toContain(token);
  });

  test.each(["2025", "2026"])("a JSON-RPC error of the %s era is told without what was sent", async (era) => {
    const server = era === "2025" ? await startServer2025() : await startServer2026();
    const connection = await connect(server);
    server.answerInstead = async (request) => {
      const asked: unknown = await request.json();
      const askedId = isJsonObject(asked) ? asked["id"] : undefined;
      return Response.json({ jsonrpc: "2.0", id: askedId, error: { code: -32_000, message: said, data: { said } } });
    };
    const failure = await connection.callTool("only", { argument }, patient).catch((error: unknown) => error);
    const error = asMcpError(failure);
    expect(error.tell()).toMatch(/error -32000: no: \[redacted\] may not use canary-argument-2; ab is fine$/);
    const logged = renderError(error);
    expect(JSON.stringify(logged)).not.toContain("canary");
    expect(logged).toMatchObject({ stack: expect.stringContaining(" at "), cause: { stack: expect.any(String) } });
  });

  test("a result that reports an error is told without what was sent", async () => {
    const server = await startServer2025();
    server.server.setRequestHandler(CallToolRequestSchema, () => ({
      isError: true,
      structuredContent: { said },
      content: [{ type: "text" as const, text: said }],
    }));
    const result = await (await connect(server)).callTool("only", { argument }, patient);
    expect(result.content).toEqual([
      { type: "text", text: "no: [redacted] may not use canary-argument-2; ab is fine" },
    ]);
    expect(JSON.stringify(result)).not.toContain(token);
  });

  test("a header that HTTP cannot carry names the header, not its value", async () => {
    const failure = await connectMcp({
      url: "http://127.0.0.1:1/mcp",
      headers: { "x-key": `${token}\n` },
      clientName: "test",
      clientVersion: "1.0.0",
      signal: new AbortController().signal,
      connectTimeoutMs: 5_000,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining("header x-key holds characters") });
    expect(JSON.stringify(renderError(failure instanceof Error ? failure : new Error()))).not.toContain(token);
  });
});

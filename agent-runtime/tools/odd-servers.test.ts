// A real HTTP server that speaks MCP and answers one method in a way that MCP does not know. Whatever it is, calls end in
// time with a sentence that says so, and once the server is mended the next call works.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createTestLog } from "../testing/servers.ts";
import { createLink, type Link } from "../../lib/mcp/link.ts";

type Reply = (response: ServerResponse, id: unknown) => void;

const json: (body: (id: unknown) => unknown, status?: number) => Reply =
  (body, status = 200) =>
  (response, id) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body(id)));
  };
const typed =
  (status: number, type: string, body = ""): Reply =>
  (response) => {
    response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
  };
const stream =
  (events: string, isEnded: boolean): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(events);
    if (isEnded) response.end();
  };
const error = { code: -32_000, message: "odd" };
const jsonrpc = "2.0";

/** What the server answers, and what is said of it where that is no error of its own. */
const oddities: [string, Reply, RegExp][] = [
  ["202", typed(202, ""), /answered with HTTP 202 and no result/],
  ["202 with JSON", json(() => ({}), 202), /answered with HTTP 202 and no result/],
  ["204", typed(204, ""), /answered with HTTP 204 and no result/],
  ["the result of another id", json(() => ({ jsonrpc, id: 4711, result: {} })), /JSON-RPC answer to another request/],
  ["the error of another id", json(() => ({ jsonrpc, id: 4711, error })), /JSON-RPC answer to another request/],
  ["an error without id", json(() => ({ jsonrpc, error })), /answered with error -32000/],
  ["an error of the id null", json(() => ({ jsonrpc, id: null, error })), /answered with error -32000/],
  ["an error and nothing else", json(() => ({ error })), /answered with error -32000/],
  ["a result without id", json(() => ({ jsonrpc, result: {} })), /a JSON-RPC answer without an id/],
  ["a result of the id null", json(() => ({ jsonrpc, id: null, result: {} })), /a JSON-RPC answer without an id/],
  ["an empty list", json(() => []), /something else than JSON-RPC/],
  ["a web page", typed(200, "text/html", "<html></html>"), /answered with HTTP 200 and the type text\/html/],
  ["an empty body", typed(200, "application/json"), /answered with something that is not JSON/],
  ["half of an answer", typed(200, "application/json", '{"jsonrpc":"2.0"'), /answered with something that is not JSON/],
  ["no body and no type", typed(200, ""), /answered with HTTP 200 and no result/],
  ["500", typed(500, "text/plain", "oops"), /answered with HTTP 500/],
  ["503", typed(503, ""), /answered with HTTP 503/],
  ["nothing", () => undefined, /was silent for \d+ ms/],
  ["a stream that stays silent", stream(": \n\n", false), /was silent for \d+ ms/],
  [
    "a stream for another id",
    stream(`data: ${JSON.stringify({ jsonrpc, id: 4711, result: {} })}\n\n`, false),
    /silent/,
  ],
  ["a stream that ends", stream("", true), /closed the stream before the call's result/],
  ["a cut connection", (response) => response.destroy(), /cannot be reached/],
];

interface OddServer {
  readonly url: string;
  /** Calls of each method that came. */
  seen: string[];
  odd: { method: string; reply: Reply } | undefined;
}

const results: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "odd", version: "1.0.0" },
  },
  "tools/list": { tools: [{ name: "read", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "read it" }] },
};

/** Does `work` with a server of the 2025 era and a link to it. */
async function withOddServer(work: (server: OddServer, link: Link) => Promise<void>): Promise<void> {
  const odd: Omit<OddServer, "url"> = { seen: [], odd: undefined };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await request.toArray()).map(String).join("");
    const message: unknown = body === "" ? undefined : JSON.parse(body);
    const { method, id } = isJsonObject(message) ? message : {};
    const name = String(method);
    odd.seen.push(name);
    if (odd.odd?.method === name) {
      odd.odd.reply(response, id);
    } else if (id === undefined) {
      typed(request.method === "POST" ? 202 : 405, "")(response, id);
    } else if (results[name] === undefined) {
      json(() => ({ jsonrpc, id, error: { code: -32_601, message: "Method not found" } }), 404)(response, id);
    } else {
      json(() => ({ jsonrpc, id, result: results[name] }))(response, id);
    }
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
  const { log } = createTestLog("SILENT");
  const headers = async () => ({});
  const link = createLink({ name: "argos", url, headers, clientVersion: "1.0.0", log, clock: systemClock, deadlines });
  try {
    await work(Object.assign(odd, { url }), link);
  } finally {
    await link.close();
    server.closeAllConnections();
    server.close();
  }
}

const deadlines = { connectMs: 2_000, listMs: 1_000, firstListMs: 4_000 };
const callOptions = { signal: new AbortController().signal, idleTimeoutMs: 1_000 };

const say = (link: Link) => link.call("read", {}, callOptions);
const failureOf = async (work: Promise<unknown>): Promise<McpError> => {
  const failure = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (failure instanceof McpError) return failure;
  throw new Error("expected an McpError", { cause: failure });
};

describe.concurrent.each(oddities)("a server that answers with %s", { timeout: 20_000 }, (_what, reply, said) => {
  test("AGT-6 to server/discover is used in the 2025 era", () =>
    withOddServer(async (server, link) => {
      server.odd = { method: "server/discover", reply };
      expect(await link.tools()).toHaveLength(1);
      expect(await say(link)).toMatchObject({ content: [{ text: "read it" }] });
      expect(link.problem()).toBeUndefined();
      expect(server.seen.slice(0, 2)).toEqual(["server/discover", "initialize"]);
    }));

  test("to initialize lends no tools, says why, and is used once it is mended", () =>
    withOddServer(async (server, link) => {
      server.odd = { method: "initialize", reply };
      expect(await link.tools()).toBeUndefined();
      expect(link.problem()?.message).toMatch(said);
      expect(link.problem()?.message).toContain(server.url);
      server.odd = undefined;
      await vi.waitFor(async () => expect(await say(link)).toMatchObject({ content: [{ text: "read it" }] }), 5_000);
      expect(await link.tools()).toHaveLength(1);
      expect(link.problem()).toBeUndefined();
    }));

  test("to tools/list lends no tools, says why, and lends them once it is mended", () =>
    withOddServer(async (server, link) => {
      server.odd = { method: "tools/list", reply };
      expect(await link.tools()).toBeUndefined();
      expect(link.problem()?.message).toMatch(said);
      expect(link.problem()?.message).toContain(server.url);
      server.odd = undefined;
      expect(await link.tools()).toHaveLength(1);
      expect(link.problem()).toBeUndefined();
      expect(await say(link)).toMatchObject({ content: [{ text: "read it" }] });
    }));

  test("to tools/call fails that call, says why, and the next one works", () =>
    withOddServer(async (server, link) => {
      expect(await link.tools()).toHaveLength(1);
      server.odd = { method: "tools/call", reply };
      const failure = await failureOf(say(link));
      expect(failure.message).toMatch(said);
      expect(failure.message).toContain(server.url);
      server.odd = undefined;
      expect(await say(link)).toMatchObject({ content: [{ text: "read it" }] });
    }));
});

// What servers answer beside MCP, or too much of it: what can be used is used, and the rest is said.
import { afterEach, describe, expect, test } from "vitest";
import { connectMcp, type McpConnection } from "./connect.ts";
import { startServer2025, startServer2026 } from "./downstream-servers.fixture.ts";
import { isJsonObject } from "./json-rpc.ts";
import { answerBounds } from "../outgoing/response-limit.ts";

const running: { stop(): Promise<void> }[] = [];
const connections: McpConnection[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(running.splice(0).map((app) => app.stop()));
});

const patient = { signal: new AbortController().signal, idleTimeoutMs: 10_000 };
const asStream = (text: string) =>
  new Response(`event: message\nid: 1\ndata: ${text}\n\n`, { headers: { "content-type": "text/event-stream" } });
const asBody = (text: string) => new Response(text, { headers: { "content-type": "application/json" } });

interface Answers {
  list?: object;
  call?: object;
}

/** A connection to a server that answers with these results, of which `respond` makes a response. */
async function connectTo({ list, call }: Answers, era = "2025", respond = asBody): Promise<McpConnection> {
  const server = await (era === "2025" ? startServer2025() : startServer2026());
  running.push(server);
  const results = new Map(Object.entries({ "tools/list": list, "tools/call": call }));
  const complete = era === "2025" ? {} : { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  server.answerInstead = async (request) => {
    const asked: unknown = request.method === "POST" ? await request.clone().json() : undefined;
    const { method, id } = isJsonObject(asked) ? asked : {};
    const result = results.get(String(method));
    if (result !== undefined) {
      return respond(JSON.stringify({ jsonrpc: "2.0", id, result: { ...complete, ...result } }));
    }
    return "handler" in server ? server.handler.fetch(request) : server.transport.handleRequest(request);
  };
  const connection = await connectMcp({
    url: server.url,
    clientName: "test",
    clientVersion: "1.0.0",
    signal: patient.signal,
    connectTimeoutMs: 5_000,
  });
  connections.push(connection);
  return connection;
}

const call = async (answers: Answers, era?: string, respond?: typeof asBody) => {
  const connection = await connectTo(answers, era, respond);
  await connection.listTools(patient.signal);
  return await connection.callTool("only", {}, patient);
};
const text = (value: string) => ({ type: "text", text: value });

describe.each(["2025", "2026"])("a block that MCP does not allow (%s era)", (era) => {
  test.each<[string, unknown, unknown]>([
    ["null annotations", { ...text("a"), annotations: null, _meta: null }, text("a")],
    ["annotations of its own", { ...text("a"), annotations: { priority: 7 } }, text("a")],
    [
      "a resource with null",
      { type: "resource", resource: { uri: "a:b", mimeType: null, text: "a" } },
      { type: "resource", resource: { uri: "a:b", text: "a" } },
    ],
    ["a bare text", "a", text("a")],
    [
      "no text",
      { type: "text", text: null },
      text('[a part of the result left out: as "text" it is nothing that MCP allows]'),
    ],
    [
      "another type",
      { type: "video", url: "a:b" },
      text('[a part of the result left out: as "video" it is nothing that MCP allows]'),
    ],
    ["no block at all", null, text('[a part of the result left out: as "nothing" it is nothing that MCP allows]')],
  ])("as %s loses nothing beside it", async (_what, block, shown) => {
    expect((await call({ call: { content: [block, text("b")] } }, era)).content).toEqual([shown, text("b")]);
  });

  test.each<[string, object, object]>([
    ["null content", { content: null }, { content: [] }],
    ["no content", { structuredContent: { a: 1 } }, { content: [], structuredContent: { a: 1 } }],
    ["a text as content", { content: "a" }, { content: [text("a")] }],
    ["nulls", { content: [], isError: null, structuredContent: null }, { content: [] }],
    ["structured content that is no object", { structuredContent: [1] }, { content: [text("[1]")] }],
  ])("nor is a result with %s lost", async (_what, result, shown) => {
    const { meta: _meta, ...rest } = await call({ call: result }, era);
    expect(rest).toEqual(shown);
  });

  test("a tool with nulls, or without an input schema, is one", async () => {
    const connection = await connectTo(
      {
        list: {
          nextCursor: null,
          tools: [
            {
              name: "a",
              title: null,
              annotations: null,
              outputSchema: null,
              inputSchema: { type: "object", required: null },
            },
            { name: "b", annotations: { title: null }, inputSchema: null },
            { name: "c", inputSchema: { properties: {} } },
          ],
        },
      },
      era,
    );
    expect(await connection.listTools(patient.signal)).toMatchObject([
      { name: "a", inputSchema: { type: "object" } },
      { name: "b", inputSchema: { type: "object" } },
      { name: "c", inputSchema: { type: "object", properties: {} } },
    ]);
  });
});

describe.each(["2025", "2026"])("a result that breaks its tool's output schema (%s era)", (era) => {
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const list = { tools: [{ name: "only", inputSchema: { type: "object" }, outputSchema }] };

  test.each<[string, object, string | undefined]>([
    ["fits", { structuredContent: { n: 1 } }, undefined],
    ["has another type", { structuredContent: { n: "1" } }, '"n" must be number'],
    ["misses a field", { structuredContent: {} }, '"n" is required'],
    ["has no structured content", {}, "the structured content is missing"],
    ["is an error", { isError: true }, undefined],
  ])("is passed on with a note: one that %s", async (_what, result, schemaProblem) => {
    const received = await call({ list, call: { content: [text("it ran")], ...result } }, era);
    expect(received).toMatchObject({ content: [text("it ran")], ...result });
    expect(received.schemaProblem).toBe(schemaProblem);
  });

  test("is checked by the schema of the latest list", async () => {
    const answers: Answers = { list, call: { content: [], structuredContent: { n: "1" } } };
    const connection = await connectTo(answers, era);
    await connection.listTools(patient.signal);
    expect(await connection.callTool("only", {}, patient)).toHaveProperty("schemaProblem");
  });

  test.each<[string, object]>([
    ["a pattern that tries every division", { properties: { n: { pattern: "^(a+)+$" } } }],
    ["a format", { properties: { n: { format: "regex" } } }],
    ["a broken pattern", { properties: { n: { pattern: "(" } } }],
    ["a reference to nothing", { properties: { n: { $ref: "https://example.com/x" } } }],
    ["another dialect", { $schema: "http://json-schema.org/draft-04/schema#" }],
  ])("is not judged by %s", async (_what, schema) => {
    const tools = [{ name: "only", inputSchema: { type: "object" }, outputSchema: { type: "object", ...schema } }];
    const structuredContent = { n: `${"a".repeat(60)}!` };
    const received = await call({ list: { tools }, call: { content: [], structuredContent } }, era);
    expect(received).toMatchObject({ structuredContent });
    expect(received.schemaProblem).toBeUndefined();
  });
});

describe.each([
  ["body", asBody],
  ["stream", asStream],
])("SEC-6 an answer as a %s", (_how, respond) => {
  const maxBytes = 16 * 1024 * 1024;
  /** A result whose whole message has this size. */
  const sized = (bytes: number) => (message: string) =>
    respond(message.replace("%", "x".repeat(bytes - message.length + 1)));
  const framing = respond === asStream ? "event: message\nid: 1\ndata: \n\n".length : 0;

  test("of 16 MiB is taken, one byte more is a problem that says so", async () => {
    const content = [text("%")];
    const taken = await call({ call: { content } }, "2025", sized(maxBytes - framing));
    expect(taken.content).toMatchObject([{ type: "text" }]);
    const refused = call({ call: { content } }, "2025", sized(maxBytes - framing + 1));
    await expect(refused).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringMatching(/^http:.* answered with too much: .* is over the limit of 16777216 bytes$/),
    });
  });

  const nested = (levels: number): unknown => {
    let value: unknown = {};
    for (let level = 1; level < levels; level += 1) value = { a: value };
    return value;
  };
  /** The message and its result are two levels. */
  const depth = answerBounds.maxDepth - 2;

  test("nested as deep as is taken, and one level more", async () => {
    const taken = await call({ call: { content: [], structuredContent: nested(depth) } }, "2025", respond);
    expect(taken.structuredContent).toBeDefined();
    await expect(
      call({ call: { content: [], structuredContent: nested(depth + 1) } }, "2025", respond),
    ).rejects.toMatchObject({ kind: "protocol", message: expect.stringContaining("nested more than 200 deep") });
  });

  test("with as many values as are taken, and more", async () => {
    const values = (count: number) => ({
      structuredContent: { a: Array.from({ length: count }, () => 1) },
      content: [],
    });
    expect(await call({ call: values(answerBounds.maxStructure - 100) }, "2025", respond)).toBeDefined();
    await expect(call({ call: values(answerBounds.maxStructure) }, "2025", respond)).rejects.toMatchObject({
      kind: "protocol",
      message: expect.stringContaining("more than 200000 structural characters"),
    });
  });
});

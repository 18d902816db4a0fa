// What hostile tool servers do to their agent, all of them at once beside an honest one. Each call must end in a sentence or
// a result, and the honest server's tool must work after it: in a process of its own, since what would be broken is the
// whole process, with no more memory than it needs.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ask } from "../testing/client.ts";
import { startAgentProcess, type AgentProcess } from "../testing/process.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { startTwistedServer, type Twist, type TwistedServer } from "../testing/twisted-server.ts";

interface Trick {
  what: string;
  twists: Record<string, Twist>;
  args?: Record<string, unknown>;
  /** What the caller reads. */
  reads: RegExp;
}

const readIt = { content: [{ type: "text", text: "read it" }] };
const json = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": "application/json", ...headers } });
/** A body without an id: it is refused before anybody looks for one. */
const result = (text: string) => `{"jsonrpc":"2.0","id":0,"result":${text}}`;
const list =
  (schemas: object): Twist =>
  () => ({
    tools: [{ name: "read", inputSchema: { type: "object" }, ...schemas }],
  });
const endless = `${"a".repeat(64)}!`;
const doubling = {
  $defs: Object.fromEntries(
    Array.from({ length: 64 }, (_, n) => [
      `a${n}`,
      { anyOf: Array.from({ length: 2 }, () => ({ $ref: `#/$defs/a${n + 1}` })) },
    ]),
  ),
};
const deepSchema = () => {
  let schema: object = { type: "string" };
  for (let level = 0; level < 90; level += 1) schema = { properties: { a: schema } };
  return schema;
};
const mebibyte = 1024 * 1024;
let pages = 0;

const tricks: Trick[] = [
  {
    what: "a pattern in an input schema that tries every division of an argument",
    twists: { "tools/list": list({ inputSchema: { type: "object", properties: { x: { pattern: "^(a+)+$" } } } }) },
    args: { x: endless },
    reads: /^read it$/,
  },
  {
    what: "the same for the names of arguments",
    twists: { "tools/list": list({ inputSchema: { type: "object", patternProperties: { "^(a+)+$": {} } } }) },
    args: { [endless]: 1 },
    reads: /^read it$/,
  },
  {
    what: "the same in an output schema, with a result to match",
    twists: {
      "tools/list": list({ outputSchema: { type: "object", properties: { x: { pattern: "^(a+)+$" } } } }),
      "tools/call": () => ({ ...readIt, structuredContent: { x: endless } }),
    },
    reads: /^read it$/,
  },
  {
    what: "references that double at each step",
    twists: {
      "tools/list": list({
        inputSchema: { type: "object", ...doubling, properties: { x: { $ref: "#/$defs/a0" } } },
        outputSchema: { type: "object", ...doubling, properties: { x: { $ref: "#/$defs/a0" } } },
      }),
      "tools/call": () => ({ ...readIt, structuredContent: { x: 1 } }),
    },
    args: { x: 1 },
    reads: /^read it$/,
  },
  {
    what: "a schema that refers to itself, for arguments of any depth",
    twists: {
      "tools/list": list({ inputSchema: { type: "object", properties: { x: { $ref: "#" } }, anyOf: [{ $ref: "#" }] } }),
    },
    args: { x: { x: { x: {} } } },
    reads: /^read it$/,
  },
  {
    what: "a schema as deep as any is taken",
    twists: { "tools/list": list({ inputSchema: { type: "object", ...deepSchema() } }) },
    reads: /^read it$/,
  },
  {
    what: "17 MiB of text",
    twists: { "tools/call": () => ({ content: [{ type: "text", text: "x".repeat(17 * mebibyte) }] }) },
    reads: /^The tool failed: .* answered with too much: the response is over the limit of 16777216 bytes$/,
  },
  {
    what: "15 MiB of empty objects",
    twists: { "tools/call": () => json(result(`{"content":[${"{},".repeat(5 * mebibyte)}{}]}`)) },
    reads: /^The tool failed: .* answered with too much: .* has more than 200000 structural characters$/,
  },
  {
    what: "15 MiB of brackets",
    twists: { "tools/call": () => json(result(`${"[".repeat(8 * mebibyte)}${"]".repeat(7 * mebibyte)}`)) },
    reads: /^The tool failed: .* answered with too much: .* is nested more than 200 deep$/,
  },
  {
    what: "a stream with an event of 15 MiB of objects",
    twists: {
      "tools/call": () =>
        new Response(`id: 1\ndata: ${result(`{"content":[${"{},".repeat(5 * mebibyte)}{}]}`)}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        }),
    },
    reads: /^The tool failed: .* answered with too much: .* has more than 200000 structural characters$/,
  },
  {
    what: "a small body that is large once it is unpacked",
    twists: {
      "tools/call": () =>
        json(new Uint8Array(gzipSync(Buffer.alloc(64 * mebibyte, "x"))), { "content-encoding": "gzip" }),
    },
    reads: /^The tool failed: .* answered with too much: .* over the limit of 16777216 bytes$/,
  },
  {
    what: "more tools than are taken in one answer",
    twists: {
      "tools/list": () => ({
        tools: Array.from({ length: 40_000 }, (_, n) => ({ name: `t${n}`, inputSchema: { type: "object" } })),
      }),
    },
    reads: /no tool named/,
  },
  {
    what: "a list of tools without an end",
    twists: {
      "tools/list": () => ({
        tools: [{ name: `t${pages}`, inputSchema: { type: "object" } }],
        nextCursor: `${(pages += 1)}`,
      }),
    },
    reads: /no tool named/,
  },
  {
    what: "names of what every object has",
    twists: {
      "tools/list": () => ({
        tools: ["__proto__", "constructor", "read"].map((name) => ({ name, inputSchema: { type: "object" } })),
      }),
      "tools/call": () => json('{"jsonrpc":"2.0","id":0,"result":{"__proto__":{"polluted":1}}}'),
    },
    reads: /^The tool failed: .* the JSON-RPC answer to another request/,
  },
  {
    what: "blocks of nothing that MCP knows",
    twists: {
      "tools/call": () => ({
        content: [null, 7, { type: {} }, { type: "text" }, { type: "text", text: "read it", annotations: null }],
      }),
    },
    reads: /read it$/,
  },
];

const servers: TwistedServer[] = [];
let agent: AgentProcess;
const call = async (tool: string, args: object) =>
  (await ask(`${agent.url}/mcp`, { message: `***CALL_TOOL ${tool} ${JSON.stringify(args)}` })).text;

beforeAll(async () => {
  for (const { twists } of [{ twists: {} }, ...tricks]) servers.push(await startTwistedServer(twists));
  const config = renderTestConfig({
    scope: "request",
    servers: servers.map(({ url }, index) => renderTestServer(index === 0 ? "honest" : `t${index}`, url)),
  });
  agent = await startAgentProcess(config, { NODE_OPTIONS: "--max-old-space-size=256" });
  await vi.waitFor(() => fetch(`${agent.adminUrl}/livez`), 20_000);
}, 30_000);
afterAll(async () => {
  await agent.stop();
  await Promise.all(servers.map((server) => server.stop()));
});

describe("SEC-6 SEC-7 a hostile tool server", () => {
  test.each(tricks.map((trick, index) => ({ ...trick, prefix: `t${index + 1}` })))(
    "that sends $what",
    { timeout: 30_000 },
    async ({ prefix, args = {}, reads }) => {
      expect(await call(`${prefix}__read`, args)).toMatch(reads);
      expect(await call("honest__read", {})).toBe("read it");
    },
  );
});

import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { createLogger } from "../process/log.ts";
import { createTestTable, startEndpoint, type TestEndpoint } from "./endpoint.fixture.ts";
import { callMessage, modernCall, openSession, post, readMessages } from "./raw-client.fixture.ts";
import { serveMcp } from "./serve.ts";
import { staticTools, type ToolEntry } from "./table.ts";

let served: TestEndpoint;
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((client) => client.close()));
  await served?.stop();
});

const info = { name: "test-client", version: "1.0.0" };

async function connect2025() {
  const client = new Client2025(info);
  closing.push(client);
  await client.connect(new Transport2025(new URL(served.url)));
  return client;
}

async function connect2026() {
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  closing.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return client;
}

async function connectV2As2025() {
  const client = new Client(info, { versionNegotiation: { mode: "legacy" } });
  closing.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return client;
}

const clients = [
  { name: "the first SDK's client", era: "2025", connect: connect2025 },
  { name: "the second SDK's client in the 2025 era", era: "2025", connect: connectV2As2025 },
  { name: "the second SDK's client in the 2026 era", era: "2026", connect: connect2026 },
] as const;

describe.each(clients)("AGT-6 both eras on one URL: $name", ({ era, connect }) => {
  test("lists tools in table order with exactly the given input schemas", async () => {
    served = await startEndpoint();
    const { tools } = await (await connect()).listTools();
    const given = await createTestTable([]).tools.list({ caller: "anyone" });
    expect(tools.map(({ name }) => name)).toEqual(given.map(({ name }) => name));
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual(given.map(({ inputSchema }) => inputSchema));
  });

  test("calls a tool and carries its meta", async () => {
    served = await startEndpoint();
    const result = await (await connect()).callTool({ name: "echo", arguments: { text: "hi" } });
    expect(result.content).toEqual([{ type: "text", text: "hi" }]);
    expect(result._meta).toMatchObject({ "ca.example/seen": true });
  });

  test("tells the handler its era and session", async () => {
    served = await startEndpoint();
    const result = await (await connect()).callTool({ name: "whoami", arguments: {} });
    expect(result.content).toEqual([
      { type: "text", text: JSON.stringify({ bearer: null, session: era === "2025", era }) },
    ]);
  });

  test("lists and gets prompts, and refuses a missing argument by name", async () => {
    served = await startEndpoint();
    const client = await connect();
    expect((await client.listPrompts()).prompts).toEqual([
      { name: "greeting", description: "Greets.", arguments: [{ name: "name", required: true }] },
    ]);
    const prompt = await client.getPrompt({ name: "greeting", arguments: { name: "Ada" } });
    expect(prompt.messages).toEqual([{ role: "user", content: { type: "text", text: "Hello Ada" } }]);
    await expect(client.getPrompt({ name: "greeting", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"name" is required'),
    });
  });

  test("PRG-1 PRG-3 progress arrives as sent, without a null total, and before the one result", async () => {
    served = await startEndpoint();
    const seen: unknown[] = [];
    const client = await connect();
    const options = { onprogress: (progress: unknown) => void seen.push(progress) };
    const params = { name: "steps", arguments: {} };
    const result =
      client instanceof Client2025
        ? await client.callTool(params, undefined, options)
        : await client.callTool(params, options);
    expect(result.content).toEqual([{ type: "text", text: "token" }]);
    expect(seen).toEqual([
      { progress: 1, message: "one" },
      { progress: 2, message: "two" },
      { progress: 3, total: 3, message: "three" },
    ]);
  });

  test("an unknown tool is a JSON-RPC error", async () => {
    served = await startEndpoint();
    await expect((await connect()).callTool({ name: "nope", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  test("AGT-7 arguments that do not fit give a tool error that names the field and not the value", async () => {
    served = await startEndpoint();
    const client = await connect();
    const texts = [{}, { text: 7 }, { text: "a", extra: "hunter2" }, { text: "a", images: [{}] }].map(async (args) => {
      const result = await client.callTool({ name: "echo", arguments: args });
      expect(result.isError).toBe(true);
      return JSON.stringify(result.content);
    });
    const [missing, wrong, extra, nested] = await Promise.all(texts);
    expect(missing).toContain('\\"text\\" is required');
    expect(wrong).toContain('\\"text\\" must be string');
    expect(extra).toContain('\\"extra\\" is not a known field');
    expect(extra).not.toContain("hunter2");
    expect(nested).toContain('\\"images.0.data\\" is required');
  });

  test("AGT-7 BRR-4 a throwing handler gives a generic tool error and its stack in the log", async () => {
    served = await startEndpoint();
    const result = await (await connect()).callTool({ name: "broken", arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("broken failed because of an internal error");
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(served.logLines.join("")).toContain("tool handler threw");
  });
});

describe("AGT-7 exactly one result per call, PRG-1 nothing after it", () => {
  test.each(["2025", "2026"])("on the wire of the %s era", async (era) => {
    served = await startEndpoint();
    const modern = modernCall("steps", {}, { progressToken: "t" });
    const response =
      era === "2026"
        ? await post(served.url, modern.message, modern.headers)
        : await post(served.url, callMessage("steps", {}, 1, { progressToken: "t" }), await openSession(served.url));
    const messages = await readMessages(response);
    expect(messages.map((message) => message["method"] ?? "result")).toEqual([
      "notifications/progress",
      "notifications/progress",
      "notifications/progress",
      "result",
    ]);
    expect(JSON.stringify(messages)).not.toContain("null");
  });

  test.each(["2025", "2026"])("PRG-1 no progress without a token in the %s era", async (era) => {
    served = await startEndpoint();
    const modern = modernCall("steps");
    const response =
      era === "2026"
        ? await post(served.url, modern.message, modern.headers)
        : await post(served.url, callMessage("steps"), await openSession(served.url));
    const messages = await readMessages(response);
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain("no token");
  });
});

describe("BRR-1 BRR-2 the bearer is that of the very request", () => {
  test.each(["2025", "2026"])(
    "concurrent calls with different tokens in the %s era each see their own",
    async (era) => {
      served = await startEndpoint();
      const session = era === "2025" ? await openSession(served.url) : {};
      const modern = modernCall("whoami");
      const seen = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const token: Record<string, string> = index % 5 === 0 ? {} : { authorization: `Bearer token-${index}` };
          const response =
            era === "2026"
              ? await post(served.url, modern.message, { ...modern.headers, ...token })
              : await post(served.url, callMessage("whoami", {}, index + 1), { ...session, ...token });
          return JSON.stringify(await readMessages(response));
        }),
      );
      for (const [index, text] of seen.entries()) {
        expect(text).toContain(index % 5 === 0 ? '\\"bearer\\":null' : `\\"bearer\\":\\"token-${index}\\"`);
      }
      expect(served.logLines.join("")).not.toContain("token-");
    },
  );

  test("another scheme than Bearer is not a bearer", async () => {
    served = await startEndpoint();
    const session = await openSession(served.url);
    const response = await post(served.url, callMessage("whoami"), { ...session, authorization: "Basic abc" });
    expect(JSON.stringify(await readMessages(response))).toContain('\\"bearer\\":null');
  });
});

describe("a faulty table is refused at start", () => {
  const log = createLogger({ logger: "test", level: "SILENT" });
  const options = { log, bodyLimitBytes: 1, callers: "anyone", sessions: { idleTtlMs: 1, max: 1 } } as const;
  const tool = (inputSchema: ToolEntry["inputSchema"]): ToolEntry => ({
    name: "echo",
    description: "",
    inputSchema,
    call: async () => ({ content: [] }),
  });

  test("a tool name used twice", () => {
    const tools = [tool({ type: "object" }), tool({ type: "object" })];
    expect(() => serveMcp({ server: info, tools: staticTools(tools), prompts: [] }, options)).toThrow(
      'tool "echo" is in the table twice',
    );
  });
});

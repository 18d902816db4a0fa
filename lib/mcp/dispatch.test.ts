import { describe, expect, test } from "vitest";
import { createLogger } from "../process/log.ts";
import { createDispatcher, type Inbound } from "./dispatch.ts";
import { createTestTable } from "./endpoint.fixture.ts";
import { JsonRpcError } from "./json-rpc.ts";
import { type CallContext, type JsonValue, type McpTable, staticTools, type ToolEntry } from "./table.ts";

function openDispatcher(level = "DEBUG") {
  const lines: string[] = [];
  const log = createLogger({ logger: "test", level, destination: { write: (line) => void lines.push(line) } });
  return { dispatcher: createDispatcher(createTestTable([]), log), lines, log };
}

const tableOf = (tools: ToolEntry[]): McpTable => ({
  server: { name: "s", version: "1" },
  tools: staticTools(tools),
  prompts: [],
});

const inbound = (overrides: Partial<Inbound> = {}): Inbound => ({
  era: "2025",
  requestId: 1,
  signal: new AbortController().signal,
  authorization: undefined,
  caller: "anyone",
  meta: { progressToken: 0 },
  readHeader: () => undefined,
  notifyProgress: async () => undefined,
  ...overrides,
});

describe("PRG-1 progress is best effort", () => {
  test("a failed send is logged at debug level and does not disturb the call", async () => {
    const { dispatcher, lines } = openDispatcher();
    const notifyProgress = () => Promise.reject(new Error("client gone"));
    const result = await dispatcher.callTool("steps", {}, inbound({ notifyProgress }));
    expect(result.isError).toBeUndefined();
    expect(lines.some((line) => line.includes("DEBUG") && line.includes("progress could not be sent"))).toBe(true);
  });

  test("nothing is sent once the caller has cancelled", async () => {
    const sent: unknown[] = [];
    const notifyProgress = async (params: unknown) => void sent.push(params);
    await openDispatcher().dispatcher.callTool("steps", {}, inbound({ notifyProgress, signal: AbortSignal.abort() }));
    expect(sent).toEqual([]);
  });
});

describe("PRG-1 nothing follows the result", () => {
  test("progress sent after the handler has returned goes nowhere", async () => {
    const { log } = openDispatcher();
    const sent: unknown[] = [];
    const late: CallContext[] = [];
    const call = async (_args: unknown, context: CallContext) => {
      late.push(context);
      await context.sendProgress?.({ progress: 1 });
      return { content: [] };
    };
    const tools = [{ name: "t", description: "", inputSchema: { type: "object" as const }, call }];
    const dispatcher = createDispatcher(tableOf(tools), log);
    await dispatcher.callTool("t", {}, inbound({ notifyProgress: async (params) => void sent.push(params) }));
    await late[0]?.sendProgress?.({ progress: 2 });
    expect(sent).toEqual([{ progressToken: 0, progress: 1 }]);
  });
});

describe("BRR-4 no secret at the default level", () => {
  test("neither tokens nor arguments are logged when a handler throws or arguments do not fit", async () => {
    const { dispatcher, lines } = openDispatcher("INFO");
    const authorization = "Bearer the-token";
    await dispatcher.callTool("broken", {}, inbound({ authorization }));
    await dispatcher.callTool("echo", { text: 1, extra: "the-argument" }, inbound({ authorization }));
    expect(lines).toHaveLength(1);
    expect(lines.join("")).not.toMatch(/the-token|the-argument/);
  });
});

describe("AGT-7 an argument that is null", () => {
  const inputSchema = {
    type: "object" as const,
    properties: { text: { type: "string" }, images: { type: "array" }, either: { type: ["string", "null"] }, any: {} },
    required: ["text"],
  };

  async function callWith(args: Record<string, unknown>) {
    const seen: unknown[] = [];
    const call = async (given: unknown) => {
      seen.push(given);
      return { content: [] };
    };
    const tools = [{ name: "t", description: "", inputSchema, call }];
    const dispatcher = createDispatcher(tableOf(tools), openDispatcher().log);
    return { result: await dispatcher.callTool("t", args, inbound()), seen };
  }

  test("counts as left out where the schema knows no null, as some clients send what a caller left out", async () => {
    const { seen } = await callWith({ text: "hello", images: null, either: null, any: null });
    expect(seen).toEqual([{ text: "hello", either: null, any: null }]);
  });

  test("is refused where the argument is required", async () => {
    const { result, seen } = await callWith({ text: null });
    expect({ ...result, seen }).toMatchObject({
      isError: true,
      seen: [],
      content: [{ text: expect.stringContaining('"text" must be string') }],
    });
  });
});

describe("SEC-7 a schema that a stranger wrote", () => {
  // Alternatives in alternatives: each level doubles the work.
  const nested = (levels: number): JsonValue =>
    levels === 0 ? { type: "number" } : { anyOf: [nested(levels - 1), nested(levels - 1)] };
  const inputSchema = { type: "object" as const, required: ["b"], properties: { a: nested(18) } };
  const call = async () => ({ content: [{ type: "text" as const, text: "called" }] });
  const tool = { name: "t", description: "", inputSchema, call };

  test("is read under a budget: what it cannot decide on is handed on, what is wrong at once is refused", async () => {
    const { log } = openDispatcher();
    const dispatcher = createDispatcher(tableOf([{ ...tool, schemaOf: "stranger" }]), log);
    expect((await dispatcher.callTool("t", { a: "text", b: 1 }, inbound())).content).toMatchObject([
      { text: "called" },
    ]);
    expect(await dispatcher.callTool("t", { a: "text" }, inbound())).toMatchObject({ isError: true });
  });

  test("is not taken for our own, of which every argument is decided on", async () => {
    const dispatcher = createDispatcher(tableOf([tool]), openDispatcher().log);
    expect(await dispatcher.callTool("t", { a: "text", b: 1 }, inbound())).toMatchObject({ isError: true });
  });
});

describe("AGT-7 what a handler throws", () => {
  test("a JsonRpcError reaches the caller as it is", async () => {
    const { log } = openDispatcher();
    const call = async () => {
      throw new JsonRpcError(-32050, "denied");
    };
    const tools = [{ name: "t", description: "", inputSchema: { type: "object" as const }, call }];
    const dispatcher = createDispatcher(tableOf(tools), log);
    await expect(dispatcher.callTool("t", {}, inbound())).rejects.toMatchObject({ code: -32050, message: "denied" });
  });

  test("anything else from a prompt becomes a generic internal error", async () => {
    const { log, lines } = openDispatcher();
    const get = async () => {
      throw new Error("the password is hunter2");
    };
    const table = { ...tableOf([]), prompts: [{ name: "p", get }] };
    const failure = createDispatcher(table, log).getPrompt("p", {}, inbound());
    await expect(failure).rejects.toMatchObject({ code: -32603, message: expect.not.stringContaining("hunter2") });
    expect(lines.join("")).toContain("prompt handler threw");
  });
});

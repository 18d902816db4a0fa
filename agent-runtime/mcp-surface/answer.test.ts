// What a caller gets of a run beside its text, as each generation of clients reads it.
import { afterEach, describe, expect, test } from "vitest";
import type { RunConfig } from "../../crds/run-config.ts";
import type { McpConnection } from "../../lib/mcp/connect.ts";
import type { ModelMessage, TurnRequest } from "../model/types.ts";
import { stopAfterEach } from "../testing/cleanup.ts";
import { connect2025, connect2026 } from "../testing/client.ts";
import { callTool, createScriptedModels, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";

const started = stopAfterEach();
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close();
});

async function start(models: ScriptedModels, scope: RunConfig["scope"] = "connection"): Promise<string> {
  const agent = await startAgent({ scope }, { models });
  started.push(agent);
  return agent.mcpUrl;
}

async function open<T extends { close(): Promise<void> }>(connection: Promise<T>): Promise<T> {
  opened.push(await connection);
  return connection;
}

const send = (connection: McpConnection, args: Record<string, unknown>) =>
  connection.callTool("send_message", args, { signal: new AbortController().signal, idleTimeoutMs: 10_000 });

const userTexts = ({ messages }: TurnRequest) =>
  messages.flatMap((message: ModelMessage) =>
    message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "image")) : [],
  );
/** Answers with all that the user has said in the conversation. */
const recalling = () => createScriptedModels([(request) => ({ text: userTexts(request).join(",") })]);
const textsOf = (result: { content: unknown }) =>
  JSON.parse(JSON.stringify(result.content)).map(({ text }: { text: string }) => text);

describe("AGT-13 structuredContent", () => {
  test("tells text, model, stop reason, steps and usage of the whole call", async () => {
    const models = createScriptedModels([
      { text: "Looking.", toolCalls: [callTool("nope")], usage: { input: 10, output: 1, cache_read: 90 } },
      { text: "Done.", usage: { input: 5, output: 2, cache_read: 100, reasoning: 1 }, model: "small" },
    ]);
    const result = await send(await open(connect2026(await start(models))), { message: "go" });
    expect(result.structuredContent).toEqual({
      text: "Looking.\n\nDone.",
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      model: "small",
      stop_reason: "end",
      steps: 2,
      usage: { input: 15, output: 3, cache_read: 190, reasoning: 1 },
    });
    expect(textsOf(result)).toEqual(["Looking.\n\nDone."]);
  });

  test("AGT-15 names tools that a model of the call was not offered, a hundred at most", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `s__t${index}`);
    const others = Array.from({ length: 60 }, (_, index) => `s__u${index}`);
    const models = createScriptedModels([
      { text: "Looking.", toolCalls: [callTool("nope")], toolsLeftOut: names },
      { text: "Done.", toolsLeftOut: [...names, ...others] },
    ]);
    const { structuredContent } = await send(await open(connect2026(await start(models))), { message: "go" });
    expect(structuredContent?.["tools_left_out"]).toEqual([...names, ...others.slice(0, 40)]);
  });

  test("fits the declared outputSchema, which a client of the 2025 era that listed the tools checks", async () => {
    const client = await open(connect2025(await start(createScriptedModels([{ text: "yes", usage: {} }]))));
    const { tools } = await client.listTools();
    expect(tools.map(({ outputSchema }) => outputSchema?.["required"])).toEqual([
      ["text", "model", "stop_reason", "steps", "usage"],
      ["text", "model", "stop_reason", "steps", "usage"],
      undefined,
      undefined,
    ]);
    for (const name of ["send_message", "tech_research"]) {
      const { structuredContent } = await client.callTool({ name, arguments: { message: "go" } });
      expect(structuredContent).toMatchObject({ text: "yes", stop_reason: "end", steps: 1 });
      expect(structuredContent).not.toHaveProperty("session_id");
    }
  });

  test("is not there beside an error", async () => {
    const connection = await open(connect2026(await start(createScriptedModels([{ stopReason: "content-filter" }]))));
    const result = await send(connection, { message: "go" });
    expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
  });
});

describe("AGT-13 a conversation that a model goes on with", () => {
  test('"new" starts one and tells its id in a second text block, which goes on with it from any connection', async () => {
    const url = await start(recalling());
    const first = await send(await open(connect2026(url)), { message: "a", session_id: "new" });
    const [text, told] = textsOf(first);
    expect(text).toBe("a");
    expect(first.content[1]).toMatchObject({ annotations: { audience: ["assistant"] } });
    const sessionId = /send session_id "([0-9a-f]{32})"/.exec(told)?.[1];
    expect(first.structuredContent).toMatchObject({ session_id: sessionId });
    const second = await send(await open(connect2026(url)), { message: "b", session_id: sessionId });
    expect(textsOf(second)).toEqual(["a,b"]);
  });

  test("each call without an id stands alone, and its one text block is the answer", async () => {
    const connection = await open(connect2026(await start(recalling())));
    await send(connection, { message: "a" });
    expect(textsOf(await send(connection, { message: "b" }))).toEqual(["b"]);
  });

  test('a connection of the 2025 era needs no id; "new" there starts one beside its own', async () => {
    const client = await open(connect2025(await start(recalling())));
    const say = async (args: Record<string, unknown>) =>
      textsOf(await client.callTool({ name: "send_message", arguments: args }));
    expect(await say({ message: "a" })).toEqual(["a"]);
    const [text, told] = await say({ message: "b", session_id: "new" });
    expect(text).toBe("b");
    expect(await say({ message: "c" })).toEqual(["a,c"]);
    const sessionId = /"([0-9a-f]{32})"/.exec(told)?.[1];
    expect(await say({ message: "d", session_id: sessionId })).toEqual(["b,d"]);
  });

  test("an error tells the id too, since what was said is kept", async () => {
    const connection = await open(connect2026(await start(createScriptedModels([{ stopReason: "content-filter" }]))));
    const result = await send(connection, { message: "a", session_id: "new" });
    expect([result.isError, textsOf(result)[1]]).toEqual([true, expect.stringContaining("send session_id")]);
  });

  test.each(["shared", "request"] as const)("the scope %s has none to start", async (scope) => {
    const connection = await open(connect2026(await start(recalling(), scope)));
    const result = await send(connection, { message: "a", session_id: "new" });
    expect([result.isError, textsOf(result)[0]]).toEqual([true, expect.stringContaining(`whose scope is ${scope}`)]);
  });

  test.each([
    ["connection", 'session_id "new"', '"new" starts a conversation'],
    ["shared", "what all its callers said", "Not used"],
    ["request", "stands alone", "Not used"],
  ] as const)("with the scope %s, description and schema say how to go on", async (scope, tool, argument) => {
    const client = await open(connect2025(await start(recalling(), scope)));
    const [listed, alias] = (await client.listTools()).tools;
    expect(listed?.description).toContain(tool);
    expect(JSON.stringify(listed?.inputSchema)).toContain(JSON.stringify(argument).slice(1, -1));
    expect(alias).toEqual({ ...listed, name: "tech_research" });
  });
});

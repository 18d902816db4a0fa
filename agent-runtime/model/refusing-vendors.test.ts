// The real path to a mock that refuses what vendors refuse: hostile tools and histories pass every vendor without one refusal, and
// what cannot be known before is learned from the first refusal, once.
import { afterEach, describe, expect, test } from "vitest";
import { defaultCapabilities } from "../../crds/catalogue.ts";
import type { RunModel, RunProvider } from "../../crds/run-config.ts";
import { startModelMock, type ModelMock, type ModelMockOptions } from "../../test/models/model-mock.ts";
import type { Script } from "../../test/models/conversations.ts";
import { createModels } from "./models.ts";
import { present, readableLog, settings, testKey, testModel, testProvider, turnRequest } from "./testing/fixtures.ts";
import { onePixel, userMessage, weatherTool } from "./testing/fixtures.ts";
import type { ModelMessage, ModelTool, TurnRequest } from "./types.ts";

let mock: ModelMock;
afterEach(() => mock.close());

type Vendor = Extract<NonNullable<ModelMockOptions["vendor"]>, { name: string }>;

interface Case {
  vendor: Vendor;
  kind: RunProvider["kind"];
  model: string;
}

async function start({ vendor, kind, model }: Case, script: Script, fields: Partial<RunModel> = {}) {
  mock = await startModelMock(script, { vendor });
  const base = { anthropic: mock.origin, google: `${mock.origin}/v1beta`, bedrock: mock.origin };
  const baseUrl = kind in base ? base[kind === "anthropic" || kind === "google" ? kind : "bedrock"] : mock.openaiUrl;
  const provider = testProvider({ name: "main", kind, baseUrl, region: "eu-central-1" });
  const { log, lines } = readableLog();
  const config = { models: [testModel("main", model, fields)], providers: [provider] };
  const models = createModels({ config, readSecret: async () => testKey, log, random: () => 0.5 });
  return { models, warnings: () => lines().filter(({ level }) => level === "WARNING") };
}

const cases: readonly Case[] = [
  { vendor: { name: "anthropic" }, kind: "anthropic", model: "claude-sonnet-4-5" },
  { vendor: { name: "openai-responses" }, kind: "openai", model: "gpt-5.5" },
  { vendor: { name: "openai-chat" }, kind: "openai-compatible", model: "gpt-4.1" },
  { vendor: { name: "cerebras" }, kind: "openai-compatible", model: "zai-glm-4.7" },
  { vendor: { name: "deepseek" }, kind: "openai-compatible", model: "deepseek-v4" },
  { vendor: { name: "groq" }, kind: "openai-compatible", model: "openai/gpt-oss-120b" },
  { vendor: { name: "kimi" }, kind: "openai-compatible", model: "kimi-k2-thinking" },
  { vendor: { name: "llama.cpp" }, kind: "openai-compatible", model: "qwen3" },
  { vendor: { name: "mistral" }, kind: "openai-compatible", model: "mistral-large-latest" },
  { vendor: { name: "ollama" }, kind: "openai-compatible", model: "gemma4" },
  { vendor: { name: "vllm" }, kind: "openai-compatible", model: "qwen3-8b" },
  { vendor: { name: "google" }, kind: "google", model: "gemini-3-pro-preview" },
  { vendor: { name: "bedrock" }, kind: "bedrock", model: "eu.anthropic.claude-sonnet-4-5-v1:0" },
];

const hostileSchemas: readonly Record<string, unknown>[] = [
  { type: "object" },
  { type: "object", properties: { list: { type: "array" }, either: { type: ["array", "null"] } } },
  { type: "object", oneOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: true } }] },
  { allOf: [{ $ref: "#/definitions/a" }], definitions: { a: { properties: { a: { $ref: "#/definitions/a" } } } } },
  { type: "object", properties: { "filter[id]": { type: "string" }, $top: { type: "integer" } }, required: ["$top"] },
  { type: "object", properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true }, s: { pattern: "\\d+" } } },
  { type: "object", properties: { mixed: { enum: ["a", 1, null] }, flag: true, bad: { type: "enum" } } },
  { type: "object", patternProperties: { "^(.*)$": {} }, properties: { ref: { $ref: "#/$defs/none" } } },
  { $schema: "http://json-schema.org/draft-04/schema#", id: "x", type: "object", properties: { t: { items: [{}] } } },
];

const hostileTools: readonly ModelTool[] = hostileSchemas.map((inputSchema, index) => ({
  name: `srv__tool_${index}`,
  description: index % 2 === 0 ? `${"word ".repeat(400)}\ud83d` : "Does something.",
  inputSchema,
}));

const call = (id: string) => ({ id, name: "srv__tool_0", arguments: {} });
const image = { data: onePixel.data, mimeType: "image/png" };

/** Written by several models, none of them the one that is asked. */
const hostileHistory: readonly ModelMessage[] = [
  userMessage("hello"),
  {
    role: "assistant",
    text: "\n\n",
    toolCalls: [call("functions.srv__tool_0:0"), call(`call_${"x".repeat(60)}`), { ...call("toolu_1"), name: "1old" }],
    opaque: { model: "other.model", content: [{ type: "reasoning", text: "hm" }] },
  },
  {
    role: "tool",
    results: [
      { callId: "functions.srv__tool_0:0", name: "srv__tool_0", text: "", images: [], isError: true },
      { callId: `call_${"x".repeat(60)}`, name: "srv__tool_0", text: "seen", images: [image], isError: false },
      { callId: "toolu_1", name: "1old", text: " ", images: [], isError: false },
    ],
  },
  userMessage(" "),
  { role: "assistant", text: "  ", toolCalls: [] },
  userMessage("go on"),
];

describe.each(cases)("AGT-15 $vendor.name", (each) => {
  test("takes any tools and a history of other models at the first request", async () => {
    const { models } = await start(each, [{ text: "fine" }]);
    const effort = each.model === "gpt-4.1" ? {} : { effort: "high" as const };
    const request = { tools: hostileTools, messages: hostileHistory, settings: { ...settings, ...effort } };
    await expect(models.turn(turnRequest(request))).resolves.toMatchObject({ text: "fine" });
    expect(mock.refused.map(({ refusal }) => refusal)).toEqual([]);
  });
});

/** As it is configured where nobody says what the model can do. */
const undeclared: Partial<RunModel> = { capabilitiesDeclared: false, capabilities: defaultCapabilities };

describe("AGT-15 the first request to a model of which nothing is said", () => {
  const openAi = "openai-compatible";
  test.each<Case>([
    { vendor: { name: "anthropic", maxOutputTokens: 4_096 }, kind: "anthropic", model: "claude-3-haiku-20240307" },
    { vendor: { name: "anthropic", maxOutputTokens: 8_192 }, kind: "anthropic", model: "claude-3-5-haiku-20241022" },
    { vendor: { name: "bedrock", maxOutputTokens: 4_096 }, kind: "bedrock", model: "anthropic.claude-3-haiku-v1:0" },
    { vendor: { name: "bedrock", maxOutputTokens: 4_096 }, kind: "bedrock", model: "amazon.titan-text-express-v1" },
    { vendor: { name: "google", maxOutputTokens: 8_192 }, kind: "google", model: "gemini-2.0-flash" },
    { vendor: { name: "openai-responses", maxOutputTokens: 4_096 }, kind: "openai", model: "gpt-4o" },
    { vendor: { name: "openai-chat", maxOutputTokens: 4_096 }, kind: openAi, model: "gpt-4o" },
    { vendor: { name: "deepseek" }, kind: openAi, model: "deepseek-chat" },
    { vendor: { name: "groq", maxOutputTokens: 4_096, tokensPerMinute: 6_000 }, kind: openAi, model: "qwen3" },
    { vendor: { name: "vllm", contextWindow: 2_048 }, kind: openAi, model: "m" },
  ])("$vendor.name, $model: is not refused for the limit of its answer", async (each) => {
    const { models } = await start(each, [{ text: "hi" }], undeclared);
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "hi" });
    expect(mock.refused.map(({ refusal }) => refusal)).toEqual([]);
  });

  test("a server that wants a limit is sent one from then on", async () => {
    const wants: Script = ({ body }) =>
      JSON.stringify(body).includes('"max_tokens":16384')
        ? { text: "hi" }
        : { status: 400, body: { error: { message: "max_tokens: Field required" } } };
    const { models } = await start({ vendor: { name: "vllm" }, kind: openAi, model: "m" }, wants, undeclared);
    await models.turn(turnRequest());
    await models.turn(turnRequest());
    expect(mock.requests).toHaveLength(3);
  });

  test("a router that cannot afford the rest of the window is asked for what it names", async () => {
    const text = "fewer max_tokens. You requested up to 65536 tokens, but can only afford 3919.";
    const affords: Script = ({ body }) =>
      JSON.stringify(body).includes('"max_tokens":3919') ? { text: "hi" } : { status: 402, body: { error: text } };
    const { models } = await start({ vendor: { name: "vllm" }, kind: openAi, model: "m" }, affords, undeclared);
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "hi" });
    expect(mock.requests).toHaveLength(2);
  });

  test("an account that allows less in a minute is asked for a short answer, once", async () => {
    const text = "Request too large on tokens per minute (TPM): Limit 6000, Requested 9000";
    const refuses: Script = () => ({ status: 413, body: { error: { message: text } } });
    const { models } = await start({ vendor: { name: "vllm" }, kind: openAi, model: "m" }, refuses, undeclared);
    await expect(models.turn(turnRequest())).rejects.toMatchObject({ kind: "quota" });
    expect(mock.requests.map(({ body }) => body)).toMatchObject([{}, { max_tokens: 1_024 }]);
  });
});

describe("AGT-15 what is learned from a refusal", () => {
  const vllm: Case = { vendor: { name: "vllm", contextWindow: 8_192 }, kind: "openai-compatible", model: "m" };
  const asking = () => turnRequest({ settings: { ...settings, maxTokens: 16_384 } });

  test("a small window: the second request answers, later ones are right at once", async () => {
    const { models, warnings } = await start(vllm, [{ text: "hi" }, { text: "again" }], undeclared);
    await expect(models.turn(asking())).resolves.toMatchObject({ text: "hi" });
    expect(mock.requests).toHaveLength(2);
    expect(models.active.capabilities.contextWindow).toBe(8_192);
    expect(JSON.stringify(warnings())).toContain("modelCapabilities.maxOutputTokens");
    await expect(models.turn(asking())).resolves.toMatchObject({ text: "again" });
    expect(mock.requests).toHaveLength(3);
  });

  test.each([
    ["deepseek", "openai-compatible", "deepseek-chat", 8_192],
    ["openai-chat", "openai-compatible", "gpt-4o", 4_096],
    ["groq", "openai-compatible", "qwen3", 4_096],
  ] as const)("%s: the limit of an answer is asked for once, then kept", async (name, kind, model, limit) => {
    const vendor = { name, maxOutputTokens: limit };
    const { models } = await start({ vendor, kind, model }, [{ text: "a" }, { text: "b" }], undeclared);
    await models.turn(asking());
    await models.turn(asking());
    expect(mock.refused).toHaveLength(1);
    expect(mock.requests.slice(1).map(({ body }) => body)).toMatchObject([
      { max_tokens: limit },
      { max_tokens: limit },
    ]);
  });

  test("Groq's limit per minute lowers the answer of this request alone", async () => {
    const vendor = { name: "groq" as const, tokensPerMinute: 6_000 };
    const { models } = await start({ vendor, kind: "openai-compatible", model: "m" }, [{ text: "a" }], undeclared);
    await expect(models.turn(asking())).resolves.toMatchObject({ text: "a" });
    expect(mock.refused).toHaveLength(1);
  });

  test("more tools than are taken: the last are left out, and named to log and model", async () => {
    const vendor = { name: "openai-chat" as const };
    const { models, warnings } = await start({ vendor, kind: "openai-compatible", model: "gpt-4.1" }, [
      { text: "a" },
      { text: "b" },
    ]);
    const tools = Array.from({ length: 130 }, (_, index) => ({
      ...weatherTool,
      name: `s__t${index}`,
      source: { server: "s", tool: `t${index}` },
    }));
    await expect(models.turn(turnRequest({ tools }))).resolves.toMatchObject({ toolsLeftOut: ["s__t128", "s__t129"] });
    await models.turn(turnRequest({ tools }));
    expect(models.toolsLeftOut).toEqual(["s__t128", "s__t129"]);
    expect(mock.refused).toHaveLength(1);
    const told = warnings().filter(({ message }) => message === "a tool is not offered to the model");
    expect(told.map(({ server, tool }) => [server, tool])).toEqual([
      ["s", "t128"],
      ["s", "t129"],
    ]);
    expect(JSON.stringify(present(mock.requests[1]).body)).toContain("s__t128, s__t129");
    expect(mock.requests).toHaveLength(3);
  });

  const refuseTool =
    (names: readonly string[]): Script =>
    ({ body }) => {
      const text = JSON.stringify(body);
      const name = names.find((each) => text.includes(`"name":"${each}"`));
      if (name === undefined) return { text: "fine" };
      return {
        status: 400,
        body: { error: { message: `Invalid schema for function '${name}': no.`, type: "invalid_request_error" } },
      };
    };

  test("a refused tool is left out, named with its server, and the call goes on", async () => {
    const kind = "openai-compatible";
    const { models, warnings } = await start(
      { vendor: { name: "vllm" }, kind, model: "m" },
      refuseTool(["s__bad", "s__worse"]),
    );
    const tools = ["bad", "good", "worse"].map((tool) => ({
      ...weatherTool,
      name: `s__${tool}`,
      source: { server: "s", tool },
    }));
    await expect(models.turn(turnRequest({ tools }))).resolves.toMatchObject({ text: "fine" });
    expect(mock.requests).toHaveLength(3);
    expect(
      warnings()
        .filter(({ server }) => server === "s")
        .map(({ tool }) => tool),
    ).toEqual(["bad", "worse"]);
    await models.turn(turnRequest({ tools }));
    expect(mock.requests).toHaveLength(4);
  });

  test.each([
    [32, "fine"],
    [33, "refused"],
  ])("%i refused tools: %s", async (count, outcome) => {
    const names = Array.from({ length: count }, (_, index) => `s__${index}_`);
    const { models } = await start(
      { vendor: { name: "vllm" }, kind: "openai-compatible", model: "m" },
      refuseTool(names),
    );
    const tools = names.map((name) => ({ ...weatherTool, name }));
    const turn = models.turn(turnRequest({ tools })).then(
      ({ text }) => text,
      () => "refused",
    );
    await expect(turn).resolves.toBe(outcome);
  });

  const answers: Script = [{ text: "ok" }];
  const twoCalls = (ids: readonly string[]): TurnRequest["messages"] => [
    userMessage("hello"),
    { role: "assistant", text: "", toolCalls: ids.map((id) => ({ ...call(id), name: weatherTool.name })) },
    {
      role: "tool",
      results: ids.map((callId) => ({ callId, name: weatherTool.name, text: "sun", images: [image], isError: false })),
    },
  ];

  test.each([
    ["kimi", "unnamed", "kimi-k2.5-preview"],
    ["mistral", "a finetune of nobody's name", "my-model"],
  ] as const)("%s: %s is learned at the first refusal", async (name, _what, model) => {
    const { models } = await start({ vendor: { name }, kind: "openai-compatible", model }, answers);
    await expect(
      models.turn(turnRequest({ messages: twoCalls(["call_1", "call_2"]), tools: [weatherTool] })),
    ).resolves.toMatchObject({ text: "ok" });
    expect(mock.refused.length).toBeLessThanOrEqual(2);
  });

  test("names of properties that were replaced come back as the tool's own", async () => {
    const tool = { ...weatherTool, inputSchema: { type: "object", properties: { "filter[id]": { type: "string" } } } };
    const reply = { toolCalls: [{ name: tool.name, arguments: { filter_id_: "7" } }] };
    const { models } = await start(present(cases[0]), [reply]);
    const { toolCalls } = await models.turn(turnRequest({ tools: [tool] }));
    expect(toolCalls[0]?.arguments).toEqual({ "filter[id]": "7" });
  });

  test("reasoning that a provider does not take back is left out, once more", async () => {
    const script: Script = ({ body }) =>
      JSON.stringify(body).includes("thinking_signature_x")
        ? {
            status: 400,
            body: {
              type: "error",
              error: {
                type: "invalid_request_error",
                message: "messages.1.content.0: Invalid `signature` in `thinking` block",
              },
            },
          }
        : { text: "ok" };
    mock = await startModelMock(script, { vendor: "lenient" });
    const provider = testProvider({ name: "main", kind: "anthropic", baseUrl: mock.origin });
    const config = { models: [testModel("main", "claude-opus-4-6")], providers: [provider] };
    const models = createModels({ config, readSecret: async () => testKey, log: readableLog().log });
    const opaque = {
      model: "main.claude-opus-4-6",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "thinking_signature_x" } } },
        { type: "text", text: "so" },
      ],
    };
    const messages: ModelMessage[] = [
      userMessage("a"),
      { role: "assistant", text: "so", toolCalls: [], opaque },
      userMessage("b"),
    ];
    await expect(models.turn(turnRequest({ messages }))).resolves.toMatchObject({ text: "ok" });
    expect(mock.requests).toHaveLength(2);
  });
});

// One turn against the three wire protocols: request bodies that matter, tool loops, and what is read back.
import { afterEach, describe, expect, test } from "vitest";
import type { RunProvider } from "../../crds/run-config.ts";
import type { Script } from "../../test/models/conversations.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";
import {
  modelsOf,
  onePixel,
  present,
  settings,
  testKey,
  testModel,
  testProvider,
  turnRequest,
  userMessage,
  weatherTool,
} from "./testing/fixtures.ts";
import type { ModelMessage, TurnResult } from "./types.ts";

let server: ModelMock;
afterEach(() => server.close());

const names = { anthropic: "claude-opus-4-6", openai: "gpt-4.1", "openai-compatible": "qwen3-8b" } as const;
type Kind = keyof typeof names;
const kinds: readonly Kind[] = ["anthropic", "openai", "openai-compatible"];

async function start(kind: Kind, script: Script, fields: Partial<RunProvider> = {}) {
  server = await startModelMock(script);
  const baseUrl = kind === "anthropic" ? server.origin : server.openaiUrl;
  const provider = testProvider({ name: "main", kind, baseUrl, ...fields });
  return { provider, models: modelsOf(provider, [testModel("main", names[kind])]) };
}

const recorded = (turn: TurnResult): ModelMessage => ({
  role: "assistant",
  text: turn.text,
  toolCalls: turn.toolCalls,
  ...(turn.opaque === undefined ? {} : { opaque: JSON.parse(JSON.stringify(turn.opaque)) }),
});

const results = (turn: TurnResult, text: string): ModelMessage => ({
  role: "tool",
  results: turn.toolCalls.map(({ id, name }) => ({ callId: id, name, text, images: [], isError: false })),
});

describe.each(kinds)("CFG-2 %s", (kind) => {
  test("a tool loop ends with the model's answer", async () => {
    const { models } = await start(kind, [
      {
        reasoning: "I should look",
        text: "Let me look.",
        toolCalls: [
          { name: weatherTool.name, arguments: { place: "Bern" } },
          { name: weatherTool.name, arguments: { place: "Basel" } },
        ],
      },
      { text: "Sunny." },
    ]);
    const first = await models.turn(turnRequest({ tools: [weatherTool] }));
    expect(first).toMatchObject({ text: "Let me look.", stopReason: "tool-calls", model: names[kind] });
    expect(first.toolCalls.map((call) => call.arguments)).toEqual([{ place: "Bern" }, { place: "Basel" }]);
    const messages = [userMessage("hello"), recorded(first), results(first, "sunny")];
    const second = await models.turn(turnRequest({ tools: [weatherTool], messages }));
    expect(second).toMatchObject({ text: "Sunny.", toolCalls: [], stopReason: "end" });
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const call of first.toolCalls) expect(sent).toContain(call.id);
    expect(sent).toContain("sunny");
  });

  test("each piece of its text is heard as it comes, with what came before it", async () => {
    const text = ["Good ", "morning", "."];
    const { models } = await start(kind, [{ text }]);
    let heard = "";
    const offsets: number[] = [];
    await models.turn({
      ...turnRequest(),
      onText(piece, offset) {
        offsets.push(offset - heard.length);
        heard += piece;
      },
    });
    expect([heard, offsets]).toEqual([text.join(""), [0, 0, 0]]);
  });

  test("the key goes where the protocol wants it, and max tokens are always sent", async () => {
    const { models } = await start(kind, [{ text: "hi" }]);
    await models.turn(turnRequest());
    const { headers, body } = present(server.requests[0]);
    const expected = kind === "anthropic" ? { "x-api-key": testKey } : { authorization: `Bearer ${testKey}` };
    expect(headers).toMatchObject(expected);
    expect(body).toMatchObject({ [kind === "openai" ? "max_output_tokens" : "max_tokens"]: 4_000, stream: true });
  });

  test("BRR-3 the caller's token replaces the key only with forwardInboundAuth", async () => {
    const { models } = await start(kind, [{ text: "a" }], { forwardInboundAuth: true });
    await models.turn(turnRequest({ bearer: "caller-token" }));
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer caller-token");
    expect(server.requests[0]?.headers["x-api-key"]).toBeUndefined();
    await server.close();
    const other = await start(kind, [{ text: "a" }]);
    await other.models.turn(turnRequest({ bearer: "caller-token" }));
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("caller-token");
  });

  test("configured headers are sent, and an explicit Authorization wins over key and caller's token", async () => {
    const { models } = await start(kind, [{ text: "a" }], {
      forwardInboundAuth: true,
      headers: [
        { name: "X-Team", value: "blue" },
        { name: "Authorization", value: "Basic abc" },
      ],
    });
    await models.turn(turnRequest({ bearer: "caller-token" }));
    expect(server.requests[0]?.headers).toMatchObject({ "x-team": "blue", authorization: "Basic abc" });
    expect(server.requests[0]?.headers["x-api-key"]).toBeUndefined();
  });

  test("broken JSON in a tool call is marked, and can be sent back", async () => {
    const { models } = await start(kind, [
      { toolCalls: [{ name: weatherTool.name, arguments: '{"place": "Be' }] },
      { text: "sorry" },
    ]);
    const turn = await models.turn(turnRequest({ tools: [weatherTool] }));
    expect(turn.toolCalls[0]?.malformed).toContain("not valid JSON");
    const messages = [userMessage("hello"), recorded(turn), results(turn, "bad arguments")];
    await expect(models.turn(turnRequest({ tools: [weatherTool], messages }))).resolves.toMatchObject({
      text: "sorry",
    });
  });

  test("a tool the loop does not know is passed on as it is", async () => {
    const { models } = await start(kind, [{ toolCalls: [{ name: "nope", arguments: { a: 1 } }] }]);
    const turn = await models.turn(turnRequest({ tools: [weatherTool] }));
    expect(turn.toolCalls).toMatchObject([{ name: "nope", arguments: { a: 1 } }]);
    expect(turn.toolCalls[0]).not.toHaveProperty("malformed");
  });

  test("an answer cut by max tokens says so", async () => {
    const { models } = await start(kind, [{ text: "hal", stop: "length" }]);
    await expect(models.turn(turnRequest())).resolves.toMatchObject({ text: "hal", stopReason: "length" });
  });

  test("an image of the user is sent as an image", async () => {
    const { models } = await start(kind, [{ text: "a cat" }]);
    const image = { type: "image" as const, ...onePixel };
    await models.turn(turnRequest({ messages: [{ role: "user", content: [{ type: "text", text: "what?" }, image] }] }));
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain(kind === "anthropic" ? '"type":"image"' : "data:image/png;base64,");
    expect(sent).toContain(onePixel.data);
  });
});

describe("CFG-3 what is peculiar to a protocol", () => {
  test("openai: nothing is stored, and reasoning goes back sealed", async () => {
    server = await startModelMock([
      { reasoning: "hm", toolCalls: [{ name: weatherTool.name, arguments: {} }] },
      { text: "done" },
    ]);
    const provider = testProvider({ name: "main", kind: "openai", baseUrl: server.openaiUrl });
    const models = modelsOf(provider, [testModel("main", "gpt-5.5")]);
    const withEffort = { ...settings, effort: "high" as const, temperature: 0.2, topK: 4 };
    const turn = await models.turn(turnRequest({ tools: [weatherTool], settings: withEffort }));
    expect(server.requests[0]?.body).toMatchObject({
      store: false,
      reasoning: { effort: "high" },
      include: ["reasoning.encrypted_content"],
    });
    expect(server.requests[0]?.body).not.toHaveProperty("temperature");
    await models.turn(
      turnRequest({ tools: [weatherTool], messages: [userMessage("x"), recorded(turn), results(turn, "y")] }),
    );
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('"encrypted_content":"sealed:hm"');
    expect(sent).not.toContain("item_reference");
  });

  test("openai-compatible: top_k and reasoning_effort travel in the body, and usage is asked for", async () => {
    const { models } = await start("openai-compatible", [{ text: "a" }]);
    await models.turn(turnRequest({ settings: { ...settings, topK: 40, topP: 0.9, effort: "max", stop: ["END"] } }));
    expect(server.requests[0]?.body).toMatchObject({
      top_k: 40,
      top_p: 0.9,
      reasoning_effort: "high",
      stop: ["END"],
      stream_options: { include_usage: true },
    });
  });

  test("openai-compatible: images of tool results move to the next user message", async () => {
    const { models } = await start("openai-compatible", [{ text: "a cat" }]);
    const call = { id: "c1", name: weatherTool.name, arguments: {} };
    const images = [{ data: "aGVsbG8=", mimeType: "image/png" }];
    const result = { callId: "c1", name: weatherTool.name, text: "see image", images, isError: false };
    const messages: ModelMessage[] = [
      userMessage("draw"),
      { role: "assistant", text: "", toolCalls: [call] },
      { role: "tool", results: [result] },
    ];
    await models.turn(turnRequest({ messages, tools: [weatherTool] }));
    expect(server.requests[0]?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user" },
        { role: "assistant" },
        { role: "tool", content: "see image" },
        {
          role: "user",
          content: [{ type: "text" }, { type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8=" } }],
        },
      ],
    });
  });

  test("anthropic: images stay in tool results, signed reasoning goes back, effort is sent", async () => {
    const { models } = await start("anthropic", [
      { reasoning: "hm", toolCalls: [{ name: weatherTool.name, arguments: {} }] },
      { text: "a cat" },
    ]);
    const turn = await models.turn(
      turnRequest({ tools: [weatherTool], settings: { ...settings, effort: "xhigh", topK: 5 } }),
    );
    expect(server.requests[0]?.body).toMatchObject({ output_config: { effort: "high" }, top_k: 5 });
    const call = present(turn.toolCalls[0]);
    const images = [onePixel];
    const result = { callId: call.id, name: call.name, text: "see", images, isError: false };
    await models.turn(
      turnRequest({
        tools: [weatherTool],
        messages: [userMessage("x"), recorded(turn), { role: "tool", results: [result] }],
      }),
    );
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "hm", signature: "signed" }, { type: "tool_use" }],
        },
        { role: "user", content: [{ type: "tool_result", content: [{ type: "text" }, { type: "image" }] }] },
      ],
    });
  });

  test.each([
    ["anthropic", { thinking: { type: "disabled" }, metadata: { user_id: "u" } }],
    ["openai", { text: { verbosity: "low" }, safety_identifier: "s" }],
    ["openai-compatible", { chat_template_kwargs: { enable_thinking: false }, seed: 7 }],
  ] as const)("%s: extra fields are in the body, what the agent says itself stays", async (kind, extra) => {
    const { models } = await start(kind, [{ text: "ok" }]);
    await models.turn(turnRequest({ settings: { ...settings, extra: { ...extra, model: "other", stream: false } } }));
    expect(server.requests[0]?.body).toMatchObject({ ...extra, model: names[kind], stream: true });
  });

  test("openai-compatible: thinking in tags is neither answered nor kept", async () => {
    const call = { name: weatherTool.name, arguments: {} };
    const { models } = await start("openai-compatible", [
      { text: "<think>\nhm\n</think>\n\nI look.", toolCalls: [call] },
    ]);
    let heard = "";
    const onText = (piece: string) => void (heard += piece);
    const turn = await models.turn(turnRequest({ tools: [weatherTool], onText }));
    expect([turn.text, heard]).toEqual(["I look.", "I look."]);
    expect(JSON.stringify(turn.opaque ?? "")).not.toContain("hm");
  });

  test("anthropic: reasoning of another model is not sent back", async () => {
    const { models } = await start("anthropic", [{ text: "ok" }]);
    const opaque = { model: "main.other", content: [{ type: "reasoning", text: "secret thought" }] };
    const messages: ModelMessage[] = [
      userMessage("x"),
      { role: "assistant", text: "plain", toolCalls: [], opaque },
      userMessage("y"),
    ];
    await models.turn(turnRequest({ messages }));
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("plain");
    expect(sent).not.toContain("secret thought");
  });

  test("a model without vision gets a note instead of an image", async () => {
    server = await startModelMock([{ text: "ok" }]);
    const provider = testProvider({ name: "main", kind: "openai-compatible", baseUrl: server.openaiUrl });
    const capabilities = { vision: false, contextWindow: 1000, maxOutputTokens: 100 };
    const models = modelsOf(provider, [testModel("main", "blind", { capabilities })]);
    const image = { type: "image" as const, data: "aGVsbG8=", mimeType: "image/png" };
    await models.turn(turnRequest({ messages: [{ role: "user", content: [image] }] }));
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("reads no images");
    expect(sent).not.toContain("aGVsbG8=");
  });
});

describe("MET-3 kinds of tokens never overlap", () => {
  test.each([
    [
      "anthropic",
      { input: 10, cacheRead: 70, cacheWrite: 20, output: 9, reasoning: 4 },
      { input: 10, cache_read: 70, cache_write: 20, output: 9, reasoning: 4 },
    ],
    [
      "openai",
      { input: 100, cacheRead: 70, output: 9, reasoning: 4 },
      { input: 30, cache_hit: 70, output: 9, reasoning: 4 },
    ],
    [
      "openai-compatible",
      { input: 100, cacheRead: 70, output: 9, reasoning: 4 },
      { input: 30, cache_hit: 70, output: 9, reasoning: 4 },
    ],
    ["openai-compatible", { input: 7, output: 2 }, { input: 7, output: 2 }],
  ] as const)("%s %j", async (kind, usage, expected) => {
    const { models } = await start(kind, [{ text: "a", usage }]);
    expect((await models.turn(turnRequest())).usage).toEqual(expected);
  });
});

// The rule table: what each provider and model is sent.
import { describe, expect, test } from "vitest";
import type { RequestSettings, RunProvider } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import { findParameter, outputLimit, renderSampling, type Parameter, type SamplingInput } from "./sampling.ts";
import { settings, testModel } from "./testing/fixtures.ts";

const all: Partial<RequestSettings> = { temperature: 0.5, topK: 40, stop: ["END"], effort: "high" };

function render(
  kind: RunProvider["kind"],
  name: string,
  asked: Partial<RequestSettings> = all,
  refused: Parameter[] = [],
  fit: Partial<SamplingInput> = {},
) {
  const rules = { namesCompletionTokens: false, refusesEffortWithTools: false };
  const input = { kind, model: testModel("p", name), settings: { ...settings, ...asked }, refused: new Set(refused) };
  return renderSampling({ ...input, outputTokens: 4_000, rules, hasTools: false, ...fit });
}

const leftOut = (kind: RunProvider["kind"], name: string, asked?: Partial<RequestSettings>) =>
  render(kind, name, asked).notes.map((note) => note.param);

describe("CFG-3 what a model refuses is left out and noted", () => {
  test.each([
    ["anthropic", "claude-opus-4-7", ["temperature", "topK"]],
    ["anthropic", "claude-opus-4-8-20260101", ["temperature", "topK"]],
    ["anthropic", "claude-sonnet-5", ["temperature", "topK"]],
    ["anthropic", "claude-haiku-5-5", ["temperature", "topK"]],
    ["anthropic", "claude-opus-10", ["temperature", "topK"]],
    ["bedrock", "eu.anthropic.claude-opus-5-v1:0", ["temperature", "topK"]],
    ["anthropic", "claude-opus-4-6", []],
    ["anthropic", "claude-opus-4-20250514", []],
    ["anthropic", "claude-sonnet-4-5", []],
    ["anthropic", "claude-3-7-sonnet-latest", []],
    ["anthropic", "claude-3-5-sonnet-latest", ["effort"]],
    ["openai", "gpt-4.1", ["topK", "stop", "effort"]],
    ["openai", "gpt-5.5", ["temperature", "topK", "stop"]],
    ["openai", "o4-mini", ["temperature", "topK", "stop"]],
    ["openai", "gpt-5-chat-latest", ["topK", "stop", "effort"]],
    ["openai-compatible", "gpt-5.5", []],
    ["google", "gemini-3-pro", []],
    ["huggingface", "x/y", []],
  ] as const)("%s %s: %j", (kind, name, expected) => {
    expect(leftOut(kind, name)).toEqual(expected);
    const sent = render(kind, name);
    expect(sent.temperature === undefined).toBe(leftOut(kind, name).includes("temperature"));
  });

  test("Claude takes temperature or top_p, temperature wins", () => {
    const sent = render("anthropic", "claude-opus-4-6", { temperature: 0.3, topP: 0.9 });
    expect(sent).toMatchObject({ temperature: 0.3, notes: [{ param: "topP" }] });
    expect(sent).not.toHaveProperty("topP");
    expect(render("anthropic", "claude-opus-4-6", { topP: 0.9 })).toMatchObject({ topP: 0.9, notes: [] });
  });

  test("Claude on Bedrock takes temperature or top_p too, other models there take both", () => {
    const sent = render("bedrock", "eu.anthropic.claude-sonnet-4-5-v1:0", { temperature: 0.3, topP: 0.9 });
    expect(sent).toMatchObject({ temperature: 0.3, notes: [{ param: "topP" }] });
    expect(sent).not.toHaveProperty("topP");
    expect(render("bedrock", "amazon.nova-pro-v1:0", { temperature: 0.3, topP: 0.9 })).toMatchObject({ topP: 0.9 });
  });

  test("OpenAI's chat takes max_completion_tokens, and no effort beside tools", () => {
    const rules = { namesCompletionTokens: true, refusesEffortWithTools: true };
    const sent = (hasTools: boolean) =>
      render("openai-compatible", "gpt-5.5", { effort: "high" }, [], { rules, hasTools });
    expect(sent(true)).toEqual({
      providerOptions: { compatible: { max_completion_tokens: 4_000, reasoningEffort: "none" } },
      notes: [{ param: "effort", reason: expect.stringContaining("kind openai") }],
    });
    expect(sent(false)).toMatchObject({ providerOptions: { compatible: { reasoningEffort: "high" } }, notes: [] });
  });

  test("extra fields of Bedrock are signed with the rest", () => {
    const extra = { reasoning_config: { type: "enabled" } };
    expect(render("bedrock", "m", { extra })).toMatchObject({
      providerOptions: { bedrock: { additionalModelRequestFields: extra } },
    });
    expect(render("openai-compatible", "m", { extra })).toMatchObject({ providerOptions: { compatible: {} } });
  });

  test("without a limit of the answer none is sent under any name", () => {
    const sent = render("openai-compatible", "m", {}, ["maxTokens"], { outputTokens: undefined });
    expect(sent).toEqual({ providerOptions: { compatible: {} }, notes: [] });
  });

  test("what was refused before is left out without another note", () => {
    const sent = render("openai-compatible", "m", all, ["topK", "effort", "stop", "temperature"]);
    expect(sent).toEqual({ maxOutputTokens: 4_000, providerOptions: { compatible: {} }, notes: [] });
  });

  test("nothing asked, nothing sent", () => {
    expect(render("openai-compatible", "m", {})).toEqual({
      maxOutputTokens: 4_000,
      providerOptions: { compatible: {} },
      notes: [],
    });
  });
});

describe("CFG-3 effort is sent as the nearest lower level that the model knows", () => {
  test.each([
    ["anthropic", "claude-opus-5", "minimal", "low"],
    ["anthropic", "claude-opus-5", "xhigh", "xhigh"],
    ["anthropic", "claude-opus-4-6", "xhigh", "high"],
    ["anthropic", "claude-opus-4-6", "max", "max"],
    ["anthropic", "claude-opus-4-5", "max", "high"],
    ["openai", "gpt-5", "minimal", "minimal"],
    ["openai", "gpt-5", "max", "high"],
    ["openai", "gpt-5.1", "minimal", "low"],
    ["openai", "gpt-5.4", "max", "xhigh"],
    ["openai", "gpt-6-sol", "max", "max"],
    ["openai-compatible", "gpt-oss", "max", "high"],
    ["huggingface", "openai/gpt-oss-120b", "xhigh", "high"],
  ] as const)("%s %s: %s becomes %s", (kind, name, effort, expected) => {
    const sent = render(kind, name, { effort });
    expect(JSON.stringify(sent.providerOptions)).toContain(`ffort":"${expected}"`);
    expect(sent.notes).toHaveLength(effort === expected ? 0 : 1);
  });

  test.each([
    ["claude-sonnet-4-5", "minimal", 1_024],
    ["claude-opus-4-1-20250805", "high", 16_384],
    ["claude-3-7-sonnet-latest", "max", 32_000],
  ] as const)("anthropic %s: before there was effort, %s is %i tokens of thinking", (name, effort, budgetTokens) => {
    const { providerOptions } = render("anthropic", name, { effort });
    expect(providerOptions["anthropic"]).toEqual({ toolStreaming: false, thinking: { type: "enabled", budgetTokens } });
  });

  test.each(["google", "bedrock"] as const)(
    "%s: the client library makes it a level or a budget of thinking",
    (kind) => {
      expect(render(kind, "m", { effort: "max" })).toMatchObject({ reasoning: "max", providerOptions: {}, notes: [] });
      expect(render(kind, "m", { effort: "max" }, ["effort"])).not.toHaveProperty("reasoning");
    },
  );
});

describe("CFG-4 the output limit", () => {
  const limit = (
    maxTokens: number | undefined,
    maxOutputTokens: number,
    outputMax?: number,
    wantsOutputLimit = false,
  ) =>
    outputLimit(
      testModel("p", "m", { capabilities: { vision: false, contextWindow: 100_000, maxOutputTokens } }),
      { ...settings, ...defined({ maxTokens }) },
      { outputMax, wantsOutputLimit },
    );
  const byDefault = 16_384;

  test("is what was asked, up to what the model is said to write", () => {
    expect(limit(undefined, 4_000)).toBe(4_000);
    expect(limit(100, 4_000)).toBe(100);
    expect(limit(4_000, 4_000)).toBe(4_000);
    expect(limit(4_001, 4_000)).toBe(4_000);
  });

  test("is none where nothing is known, unless one must be sent; the default limits nothing that is asked for", () => {
    expect(limit(undefined, byDefault)).toBeUndefined();
    expect(limit(undefined, byDefault, undefined, true)).toBe(byDefault);
    expect(limit(90_000, byDefault)).toBe(90_000);
  });

  test("is no more than its vendor publishes, unless more is declared", () => {
    for (const wanted of [false, true]) expect(limit(undefined, byDefault, 4_096, wanted)).toBe(4_096);
    expect(limit(4_097, byDefault, 4_096)).toBe(4_096);
    expect(limit(undefined, 5_000, 4_096)).toBe(5_000);
    expect(limit(5_001, 5_000, 4_096)).toBe(5_000);
  });
});

test.each([
  ["`temperature` is deprecated", "temperature"],
  ["output_config.effort: Extra inputs are not permitted", "effort"],
  ["Unrecognized request argument supplied: top_k", "topK"],
  ["Unsupported parameter: 'reasoning.effort'", "effort"],
  ["stream_options is unknown", "streamOptions"],
  ["stop_sequences not supported", "stop"],
  ["Thinking is not supported for this model", "effort"],
  ["the temperatures are high", undefined],
  ["stopped", undefined],
  ["`temperature` and `top_p` cannot both be specified for this model", "topP"],
])("CFG-3 %j names %s", (text, expected) => {
  expect(findParameter(text)?.param).toBe(expected);
});

// The words in which vendors refuse, as they were seen, and what is read out of each.
import { describe, expect, test } from "vitest";
import { isOverflow, parseRefusal, parseWindow } from "./refusals.ts";

const read = (text: string, status = 400) => parseRefusal({ status, text });

describe("AGT-15 limits of an answer are read out of a refusal", () => {
  test.each([
    [
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      4_096,
    ],
    ["max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5", 64_000],
    [
      "`max_completion_tokens` must be less than or equal to `40960`, the maximum value for `max_completion_tokens`",
      40_960,
    ],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192],
    [
      "it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
      65_536,
    ],
    [
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
      4_095,
    ],
    [
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 20000 instead.",
      16_384,
    ],
    [
      "litellm.BadRequestError: OpenAIException - max_tokens is too large: 9. This model supports at most 4 completion tokens, whereas",
      4,
    ],
  ])("%s", (text, maxTokens) => {
    expect(read(text)).toEqual({ what: "output-limit", maxTokens });
    expect(isOverflow({ status: 400, text })).toBe(false);
  });

  test.each([
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 2778 input tokens (8000 > 4096 - 2778).",
      { windowTokens: 4_096, inputTokens: 2_778 },
    ],
    [
      "max_tokens=16384cannot be greater than max_model_len=8192. Please request fewer output tokens.",
      { windowTokens: 8_192 },
    ],
    [
      "You passed 100 input tokens and requested 16384 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 0 tokens. Please reduce the length of the input prompt.",
      { windowTokens: 8_192, inputTokens: 100 },
    ],
    [
      "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
      { windowTokens: 200_000, inputTokens: 180_000 },
    ],
    [
      "This model's maximum context length is 131072 tokens. However, you requested 141018 tokens (100018 in the messages, 41000 in the completion).",
      { windowTokens: 131_072, inputTokens: 100_018 },
    ],
    [
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (26448 of text input, 16384 in the output).",
      { windowTokens: 32_768, inputTokens: 26_448 },
    ],
    [
      "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 11 `inputs` tokens and 5000",
      { windowTokens: 4_097, inputTokens: 11 },
    ],
    ["max_tokens is too large for this model", {}],
  ])("%s", (text, expected) => {
    expect(read(text)).toEqual({ what: "output-limit", ...expected });
    expect(isOverflow({ status: 400, text })).toBe(false);
  });

  test("a limit of the account is read with what would keep to it, and is no overflow", () => {
    const credit =
      "This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 3919.";
    expect(read(credit, 402)).toEqual({ what: "output-limit", maxTokens: 3_919, passing: true });
    expect(read(credit.replace("3919", "256"), 402)).toMatchObject({ maxTokens: 256 });
    expect(read(credit.replace("3919", "255"), 402)).toBeUndefined();
    const minute =
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce";
    for (const status of [413, 429]) {
      expect(read(minute, status)).toEqual({ what: "output-limit", excessTokens: 8_368, passing: true });
      expect(isOverflow({ status, text: minute })).toBe(false);
    }
  });

  test("the room for an answer decides between a lower limit and an overflow, at its bound", () => {
    const text = (input: number) =>
      `input length and \`max_tokens\` exceed context limit: ${input} + 8192 > 200000, decrease`;
    expect(read(text(198_976))).toMatchObject({ what: "output-limit" });
    expect(read(text(198_977))).toBeUndefined();
    expect(isOverflow({ status: 400, text: text(198_976) })).toBe(false);
    expect(isOverflow({ status: 400, text: text(198_977) })).toBe(true);
  });
});

describe("AGT-15 overflows of all vendors are known as such", () => {
  test.each([
    ["prompt is too long: 205668 tokens > 200000 maximum", 200_000],
    ["This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens", 128_000],
    ["Your input exceeds the context window of this model. Please adjust your input and try again.", undefined],
    ["The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
    ["Input is too long for requested model.", undefined],
    ["request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it", 8_192],
    ["the input length exceeds the context length", undefined],
    [
      "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.",
      32_768,
    ],
    [
      "Prompt contains 40059 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      undefined,
    ],
    ["Please reduce the length of the messages or completion.", undefined],
    ["The input (90000 tokens) is longer than the model's context length (32768 tokens).", undefined],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens", 131_072],
    ["Invalid request: Your request exceeded model token limit: 262144", undefined],
    [
      "You passed 9000 input tokens and requested 16 output tokens. However, the model's context length is only 8192 tokens, resulting in",
      8_192,
    ],
    ["Prompt exceeds max length", undefined],
  ])("%s", (text, windowTokens) => {
    expect(isOverflow({ status: 400, text })).toBe(true);
    expect(read(text)).toBeUndefined();
    expect(parseWindow(text)).toBe(windowTokens);
  });

  test("a 413 is one, whoever wrote it; a limit per time never is", () => {
    expect(isOverflow({ status: 413, text: "" })).toBe(true);
    expect(
      isOverflow({ status: 413, text: "Request too large on tokens per minute (TPM): Limit 6000, Requested 14368" }),
    ).toBe(false);
    expect(isOverflow({ status: 429, text: "Too many tokens, please wait: prompt is too long" })).toBe(false);
  });
});

describe("AGT-15 a refused tool is read out of a refusal", () => {
  test.each([
    [
      "Invalid schema for function 'argos__x': In context=(), object schema missing properties. tools[5].function.parameters",
      [5],
      ["argos__x"],
    ],
    ["tools.14.custom.input_schema.properties: Property keys should match pattern", [14], []],
    [
      "* GenerateContentRequest.tools[0].function_declarations[37].name: Invalid\n* GenerateContentRequest.tools[0].function_declarations[2].x",
      [37, 2],
      [],
    ],
    ["Value 'X' at 'toolConfig.tools.22.member.toolSpec.name' failed to satisfy constraint", [21], []],
    ["The value at toolConfig.tools.3.toolSpec.inputSchema.json.type must be one of", [3], []],
    ["Duplicate function declaration found: a__b", [], ["a__b"]],
  ])("%s", (text, indexes, names) => {
    expect(read(text)).toEqual({ what: "tools", indexes, names });
  });

  test("a count of tools, and other words, are something else", () => {
    const count =
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150";
    expect(read(count)).toEqual({ what: "tool-count", limit: 128 });
    expect(read("At most 512 function declarations can be specified.")).toEqual({ what: "tool-count", limit: 512 });
    expect(read("messages.[3].tool_calls[0].id is wrong")).toBeUndefined();
    expect(read("tools.1.custom: slow down", 429)).toBeUndefined();
  });
});

test.each([
  [
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    { what: "reasoning-content", wanted: true },
  ],
  [
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    { what: "reasoning-content", wanted: true },
  ],
  ["property 'reasoning_content' is unsupported", { what: "reasoning-content", wanted: false }],
  [
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions.",
    { what: "effort-with-tools" },
  ],
  ["Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9.", { what: "call-ids" }],
  ["Unexpected role 'user' after role 'tool'", { what: "user-after-tool" }],
  ["messages.1.content.0: Invalid `signature` in `thinking` block", { what: "replay" }],
  [
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    { what: "replay" },
  ],
  ["max_tokens: Field required", { what: "output-wanted" }],
  ["At most 1 image(s) may be provided in one prompt.", { what: "image-count", limit: 1 }],
  ["Too many images provided. This model supports up to 5 images", { what: "image-count", limit: 5 }],
  ["something else", undefined],
])("AGT-15 %s", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

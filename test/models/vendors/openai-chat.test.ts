import { call, calls, callTurn, chatPath, chatTool, chatTools, image, objectSchema, result } from "./testing/chat.ts";
import { times, user, withSchema } from "./testing/chat.ts";
import { noPicture, png } from "./testing/pictures.ts";
import { describeRules, type RuleCase } from "./testing/rule-cases.ts";

const named = (name: string) => ({
  messages: [user, { ...calls("a"), tool_calls: [call("a", { name })] }, result("a")],
});
const withResult = (content: unknown) => ({ messages: [user, calls("a"), { ...result("a"), content }] });
const form = (schema: unknown, strict = false) => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict } },
});
const text = (length: number) => ({ messages: [{ role: "user", content: "x".repeat(length) }] });
const missingItems = "Invalid schema for function 'f': In context=('properties', 'tags'), array schema missing items.";

const schemas: RuleCase[] = (
  [
    ["a root without type", objectSchema, { properties: {} }, `schema must be a JSON Schema of 'type: "object"', got`],
    ["a root without properties", objectSchema, { type: "object" }, "In context=(), object schema missing properties."],
    ...["anyOf", "oneOf", "allOf", "enum", "not"].map(
      (key) =>
        [
          `${key} at the root`,
          { type: "object", properties: { a: { [key]: [] } } },
          { ...objectSchema, [key]: [] },
          "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        ] as const,
    ),
    [
      "an array without items",
      { type: "object", properties: { tags: { type: "array", items: {} } } },
      { type: "object", properties: { tags: { type: "array" } } },
      missingItems,
    ],
    [
      "an array without items in a list of types",
      { type: "object", properties: { tags: { type: ["string", "array"], items: {} } } },
      { type: "object", properties: { tags: { type: ["string", "array"] } } },
      "In context=('properties', 'tags', 'type', '1'), array schema missing items.",
    ],
  ] as const
).map(([title, taken, refused, says]) => ({
  rule: "tool schema",
  title,
  taken: withSchema(taken),
  refused: withSchema(refused),
  says,
}));

const strictTool = (required: string[], additionalProperties: unknown = false) =>
  chatTools({
    strict: true,
    parameters: { type: "object", properties: { a: {}, b: {} }, required, additionalProperties },
  });

const models: RuleCase[] = [
  {
    rule: "output limit",
    title: "of the model",
    settings: { maxOutputTokens: 4096 },
    taken: { max_tokens: 4096 },
    refused: { max_tokens: 4097 },
    says: "max_tokens is too large: 4097. This model supports at most 4096 completion tokens, whereas you provided 4097.",
  },
  {
    rule: "name of the output limit",
    title: "under its old name",
    taken: { model: "gpt-5-mini", max_completion_tokens: 10 },
    refused: { model: "gpt-5-mini", max_tokens: 10 },
    says: "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  },
  {
    rule: "effort",
    title: "with tools, asked for",
    taken: { model: "gpt-5.4", ...chatTools({}) },
    refused: { model: "gpt-5.4", reasoning_effort: "low", ...chatTools({}) },
    says: "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions.",
  },
  {
    rule: "effort",
    title: "with tools, by default",
    taken: { model: "gpt-5.6-terra", reasoning_effort: "none", ...chatTools({}) },
    refused: { model: "gpt-5.6-terra", ...chatTools({}) },
    says: "use /v1/responses or set reasoning_effort to 'none'.",
  },
  {
    rule: "effort",
    title: "of a model that does not reason",
    taken: { model: "gpt-5-mini", reasoning_effort: "low" },
    refused: { model: "gpt-4.1", reasoning_effort: "low" },
    says: "Unrecognized request argument supplied: reasoning_effort",
  },
  {
    rule: "effort",
    title: "that a model does not know",
    taken: { model: "gpt-5.6", reasoning_effort: "low" },
    refused: { model: "gpt-5.6", reasoning_effort: "minimal" },
    says: "'reasoning_effort' does not support 'minimal' with this model.",
  },
  {
    rule: "samplers of reasoning models",
    taken: { model: "gpt-5.1", temperature: 0.2 },
    refused: { model: "gpt-5.1", temperature: 0.2, reasoning_effort: "low" },
    says: "'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
  },
  {
    rule: "range of temperature",
    taken: { temperature: 2 },
    refused: { temperature: 2.1 },
    says: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead.",
  },
  {
    rule: "stop",
    title: "of more than four",
    taken: { stop: ["a", "b", "c", "d"] },
    refused: { stop: ["a", "b", "c", "d", "e"] },
    says: "Invalid 'stop': array too long.",
  },
  {
    rule: "stop",
    title: "with o3",
    taken: { model: "gpt-4.1", stop: "a" },
    refused: { model: "o3", stop: "a" },
    says: "Unsupported parameter: 'stop' is not supported with this model.",
  },
];

describeRules("openai-chat", { path: chatPath, base: { model: "gpt-4.1", messages: [user] } }, [
  ...schemas,
  ...models,
  {
    rule: "lone surrogate",
    taken: { messages: [{ role: "user", content: "🐻" }] },
    refused: { messages: [{ role: "user", content: "\ud83d" }] },
    says: "We could not parse the JSON body of your request.",
  },
  {
    rule: "unknown field",
    taken: { seed: 1 },
    refused: { top_k: 1 },
    says: "Unrecognized request argument supplied: top_k",
  },
  {
    rule: "parallel calls without tools",
    taken: { parallel_tool_calls: true, ...chatTools({}) },
    refused: { parallel_tool_calls: true },
    says: "'parallel_tool_calls' is only allowed when 'tools' are specified.",
  },
  {
    rule: "tool count",
    taken: { tools: times(128, (index) => chatTool({ name: `f${index}` })) },
    refused: { tools: times(129, (index) => chatTool({ name: `f${index}` })) },
    says: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
  },
  {
    rule: "tool name",
    title: "of more than 64",
    taken: chatTools({ name: "n".repeat(64) }),
    refused: chatTools({ name: "n".repeat(65) }),
    says: "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  },
  {
    rule: "tool name",
    title: "with other characters",
    taken: chatTools({ name: "a_b-c" }),
    refused: chatTools({ name: "a.b" }),
    says: "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  },
  {
    rule: "tool description",
    taken: chatTools({ description: "d".repeat(1024) }),
    refused: chatTools({ description: "d".repeat(1025) }),
    says: "Invalid 'tools[0].function.description': string too long.",
  },
  {
    rule: "tool schema",
    title: "that is strict without all keys required",
    taken: strictTool(["a", "b"]),
    refused: strictTool(["a"]),
    says: "'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
  },
  {
    rule: "tool schema",
    title: "that is strict and open",
    taken: strictTool(["a", "b"]),
    refused: strictTool(["a", "b"], true),
    says: "'additionalProperties' is required to be supplied and to be false.",
  },
  {
    rule: "answer schema",
    taken: form({ type: "object", properties: {} }),
    refused: form({ anyOf: [] }),
    says: "Invalid schema for response_format 'answer': schema must be a JSON Schema of 'type: \"object\"'",
  },
  { rule: "messages", taken: {}, refused: { messages: [] }, says: "Invalid 'messages': empty array." },
  {
    rule: "call id",
    taken: callTurn("i".repeat(40)),
    refused: callTurn("i".repeat(41)),
    says: "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40",
  },
  {
    rule: "call name",
    taken: named("f"),
    refused: named("a.b"),
    says: "Invalid 'messages[1].tool_calls[0].function.name'",
  },
  {
    rule: "calls without results",
    taken: { messages: [user, calls("a", "b"), result("b"), result("a")] },
    refused: { messages: [user, calls("a", "b"), result("b"), user, result("a")] },
    says: "The following tool_call_ids did not have response messages: a",
  },
  {
    rule: "results without calls",
    taken: callTurn("a"),
    refused: callTurn("a", result("b")),
    says: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  {
    rule: "content of results",
    taken: withResult([{ type: "text", text: "x" }]),
    refused: withResult([{ type: "image_url", image_url: { url: `data:image/png;base64,${png()}` } }]),
    says: "Invalid value: 'image_url'. Supported values are: 'text'.",
  },
  {
    rule: "vision",
    settings: { lacks: ["vision"] },
    taken: {},
    refused: image(`data:image/png;base64,${png()}`),
    says: "image_url is only supported by certain models.",
  },
  {
    rule: "image",
    title: "of another format",
    taken: image(`data:image/png;base64,${png()}`),
    refused: image(`data:image/png;base64,${noPicture}`),
    says: "formats: ['png', 'jpeg', 'gif', 'webp'].",
  },
  {
    rule: "image",
    title: "that is no base64",
    taken: image("https://example.com/a.png"),
    refused: image("data:image/png;base64,***"),
    says: "does not represent a valid image",
  },
  {
    rule: "stream options",
    taken: { stream: true, stream_options: { include_usage: true } },
    refused: { stream_options: { include_usage: true } },
    says: "only allowed when 'stream' is enabled",
  },
  {
    rule: "overflow",
    settings: { contextWindow: 100 },
    taken: text(370),
    refused: text(400),
    says: "This model's maximum context length is 100 tokens. However, your messages resulted in",
  },
]);

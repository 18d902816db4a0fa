import { times } from "./testing/chat.ts";
import { gif, noPicture, png } from "./testing/pictures.ts";
import { describeRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", content: "hi" };
const said = (content: unknown) => ({ messages: [{ role: "user", content }] });
const schema = { type: "object", properties: {} };
const tools = (fields: object) => ({ tools: [{ name: "f", input_schema: schema, ...fields }] });
const withSchema = (input_schema: object) => tools({ input_schema });
const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const used = (...ids: string[]) => ({ role: "assistant", content: ids.map(use) });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const answered = (...ids: string[]) => ({ role: "user", content: ids.map(result) });
const image = (data: string, media_type = "image/png") => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
const images = (count: number, data: string) => said(times(count, () => image(data)));
const encoded = (length: number) => png(1, 1, (length / 4) * 3);
const marked = (count: number) =>
  said(times(count, (index) => ({ type: "text", text: `t${index}`, cache_control: { type: "ephemeral" } })));
const draft =
  "JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).";
const properties = (a: unknown) => withSchema({ type: "object", properties: { a } });

const schemas: RuleCase[] = [
  {
    rule: "type of schemas",
    taken: withSchema({ type: "object" }),
    refused: withSchema({ properties: {} }),
    says: "tools.0.custom.input_schema.type: Field required",
  },
  ...["oneOf", "allOf", "anyOf"].map((key) => ({
    rule: "combinators at the root",
    title: key,
    taken: properties({ [key]: [{}] }),
    refused: withSchema({ ...schema, [key]: [{}] }),
    says: "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  })),
  {
    rule: "keys at the root",
    title: "of other characters, which deeper may stand",
    taken: properties({ type: "object", properties: { "filter[id]": {} } }),
    refused: withSchema({ type: "object", properties: { "filter[id]": {} } }),
    says: "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  },
  {
    rule: "keys at the root",
    title: "of more than 64",
    taken: withSchema({ type: "object", properties: { ["k".repeat(64)]: {} } }),
    refused: withSchema({ type: "object", properties: { ["k".repeat(65)]: {} } }),
    says: "Property keys should match pattern",
  },
  {
    rule: "draft 2020-12",
    title: "exclusiveMinimum as in draft-04",
    taken: properties({ exclusiveMinimum: 0 }),
    refused: properties({ exclusiveMinimum: true }),
    says: draft,
  },
  {
    rule: "draft 2020-12",
    title: "a list of items",
    taken: properties({ prefixItems: [{}] }),
    refused: properties({ items: [{}] }),
    says: draft,
  },
  {
    rule: "draft 2020-12",
    title: "required as in draft-03",
    taken: properties({ required: [] }),
    refused: properties({ required: true }),
    says: draft,
  },
  {
    rule: "draft 2020-12",
    title: "a broken pattern",
    taken: properties({ pattern: "^a$" }),
    refused: properties({ pattern: "(" }),
    says: draft,
  },
  {
    rule: "draft 2020-12",
    title: "patternProperties for anything",
    taken: properties({ patternProperties: { "^a": {} } }),
    refused: properties({ patternProperties: { "^(.*)$": {} } }),
    says: draft,
  },
  {
    rule: "draft 2020-12",
    title: "a reference to nothing",
    taken: withSchema({ ...schema, properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: {} } }),
    refused: withSchema({ ...schema, properties: { a: { $ref: "#/$defs/b" } } }),
    says: draft,
  },
];

const messages: RuleCase[] = [
  {
    rule: "messages",
    title: "of nobody",
    taken: {},
    refused: { messages: [] },
    says: "messages: at least one message is required",
  },
  {
    rule: "messages",
    title: "that begin with an answer",
    taken: { messages: [user, { role: "assistant", content: "a" }, user] },
    refused: { messages: [{ role: "assistant", content: "a" }, user] },
    says: 'messages: first message must use the "user" role',
  },
  {
    rule: "messages",
    title: "above 100,000",
    taken: { messages: times(100_000, () => user) },
    refused: { messages: times(100_001, () => user) },
    says: "messages: List should have at most 100000 items",
  },
  {
    rule: "empty messages",
    taken: { messages: [user, { role: "assistant", content: [] }] },
    refused: { messages: [user, { role: "assistant", content: [] }, user] },
    says: "messages.1: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "empty text",
    title: "of nothing",
    taken: said([{ type: "text", text: "." }]),
    refused: said([{ type: "text", text: "" }]),
    says: "messages: text content blocks must be non-empty",
  },
  {
    rule: "empty text",
    title: "of space",
    taken: said([{ type: "text", text: " ." }]),
    refused: said([{ type: "text", text: "\n\n" }]),
    says: "messages: text content blocks must contain non-whitespace text",
  },
  {
    rule: "empty text",
    title: "with a mark",
    taken: marked(1),
    refused: said([{ type: "text", text: "", cache_control: { type: "ephemeral" } }]),
    says: "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
  },
  {
    rule: "call id",
    taken: { messages: [user, used("a-b_1"), answered("a-b_1")] },
    refused: { messages: [user, used("functions.Bash:0"), answered("functions.Bash:0")] },
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: "call ids are unique",
    taken: { messages: [user, used("a"), answered("a"), used("b"), answered("b")] },
    refused: { messages: [user, used("a"), answered("a"), used("a"), answered("a")] },
    says: "`tool_use` ids must be unique",
  },
  {
    rule: "calls without results",
    taken: { messages: [user, used("a", "b"), answered("b"), answered("a")] },
    refused: { messages: [user, used("a", "b"), answered("b")] },
    says: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block",
  },
  {
    rule: "results without calls",
    title: "of another call",
    taken: { messages: [user, used("a"), answered("a")] },
    refused: { messages: [user, used("a"), answered("a", "b")] },
    says: "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: b.",
  },
  {
    rule: "results without calls",
    title: "twice",
    taken: { messages: [user, used("a"), answered("a")] },
    refused: { messages: [user, used("a"), answered("a", "a")] },
    says: "each tool_use must have a single result",
  },
  {
    rule: "results before texts",
    taken: { messages: [user, used("a"), { role: "user", content: [result("a"), { type: "text", text: "t" }] }] },
    refused: { messages: [user, used("a"), { role: "user", content: [{ type: "text", text: "t" }, result("a")] }] },
    says: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.",
  },
  {
    rule: "prefilled answer",
    taken: { model: "claude-opus-4-5", messages: [user, { role: "assistant", content: "a" }] },
    refused: { model: "claude-opus-4-6", messages: [user, { role: "assistant", content: "a" }] },
    says: "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
];

const pictures: RuleCase[] = [
  { rule: "image count", taken: images(100, png()), refused: images(101, png()), says: "too many images: 101 > 100" },
  {
    rule: "image type",
    title: "that is another",
    taken: said([image(gif, "image/gif")]),
    refused: said([image(gif)]),
    says: "messages.0.content.0.image.source.base64: Image does not match the provided media type image/png",
  },
  {
    rule: "image type",
    title: "that is none",
    taken: said([image(png())]),
    refused: said([image(noPicture)]),
    says: "Could not process image",
  },
  {
    rule: "image type",
    title: "of another name",
    taken: said([image(png())]),
    refused: said([image(png(), "image/bmp")]),
    says: "media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  {
    rule: "image bytes",
    taken: said([image(encoded(10_485_760))]),
    refused: said([image(encoded(10_485_764))]),
    says: "10485764 bytes > 10485760 bytes",
  },
  {
    rule: "image pixels",
    title: "of one",
    taken: said([image(png(8000, 1))]),
    refused: said([image(png(1, 8001))]),
    says: "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  },
  {
    rule: "image pixels",
    title: "of many",
    taken: images(20, png(2001, 1)),
    refused: images(21, png(2001, 1)),
    says: "for many-image requests: 2000 pixels",
  },
];

const settings: RuleCase[] = [
  {
    rule: "cache breakpoints",
    taken: marked(4),
    refused: marked(5),
    says: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    rule: "output limit",
    title: "that is missing",
    taken: { max_tokens: 1 },
    refused: { max_tokens: undefined },
    says: "max_tokens: Field required",
  },
  {
    rule: "output limit",
    title: "of the model",
    taken: { model: "claude-haiku-4-5-20251001", max_tokens: 64_000 },
    refused: { model: "claude-haiku-4-5-20251001", max_tokens: 64_001 },
    says: "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001",
  },
  {
    rule: "samplers",
    title: "deprecated",
    taken: { model: "claude-opus-4-6", temperature: 0.5 },
    refused: { model: "claude-opus-4-7", temperature: 0.5 },
    says: "`temperature` is deprecated for this model.",
  },
  {
    rule: "samplers",
    title: "two at once",
    taken: { model: "claude-sonnet-4-6", top_p: 0.5 },
    refused: { model: "claude-sonnet-4-6", temperature: 0.5, top_p: 0.5 },
    says: "`temperature` and `top_p` cannot both be specified for this model.",
  },
  {
    rule: "samplers",
    title: "with thinking",
    taken: { temperature: 0.5 },
    refused: { temperature: 0.5, thinking: { type: "adaptive" } },
    says: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
  },
  {
    rule: "range of temperature",
    taken: { temperature: 1 },
    refused: { temperature: 1.1 },
    says: "temperature: Input should be less than or equal to 1",
  },
  {
    rule: "thinking",
    title: "by budget",
    taken: { model: "claude-opus-4-6", max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } },
    refused: { model: "claude-opus-5", max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } },
    says: '"thinking.type.enabled" is not supported for this model.',
  },
  {
    rule: "thinking",
    title: "below 1024",
    taken: { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } },
    refused: { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1023 } },
    says: "greater than or equal to 1024",
  },
  {
    rule: "thinking",
    title: "up to max_tokens",
    taken: { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1999 } },
    refused: { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 2000 } },
    says: "`max_tokens` must be greater than `thinking.budget_tokens`.",
  },
  {
    rule: "effort",
    taken: { model: "claude-opus-4-5", output_config: { effort: "low" } },
    refused: { model: "claude-haiku-4-5", output_config: { effort: "low" } },
    says: "This model does not support the effort parameter.",
  },
  {
    rule: "forced tools",
    taken: { model: "claude-opus-5", tool_choice: { type: "any" }, ...tools({}) },
    refused: { model: "claude-fable-5", tool_choice: { type: "any" }, ...tools({}) },
    says: 'tool_choice: "any" is not supported',
  },
  {
    rule: "stop sequences",
    taken: { stop_sequences: ["a"] },
    refused: { stop_sequences: [" "] },
    says: "stop_sequences: each stop sequence must contain non-whitespace",
  },
  {
    rule: "overflow",
    title: "of the prompt",
    settings: { contextWindow: 100 },
    taken: said("x".repeat(380)),
    refused: said("x".repeat(401)),
    says: "tokens > 100 maximum",
  },
  {
    rule: "overflow",
    title: "of prompt and answer, up to 4.x",
    settings: { contextWindow: 1000 },
    taken: { model: "claude-opus-5", max_tokens: 1000 },
    refused: { model: "claude-sonnet-4-5", max_tokens: 1000 },
    says: "input length and `max_tokens` exceed context limit: ",
  },
];

describeRules("anthropic", { path: "/v1/messages", base: { model: "m", max_tokens: 10, messages: [user] } }, [
  ...schemas,
  ...messages,
  ...pictures,
  ...settings,
  {
    rule: "lone surrogate",
    taken: said("🐻"),
    refused: said("\ud83d"),
    says: "The request body is not valid JSON: no low surrogate in string: line 1 column 68 (char 67)",
  },
  {
    rule: "size of the request",
    taken: said("x".repeat(33_554_000)),
    refused: said("x".repeat(33_554_432)),
    status: 413,
    says: "Request exceeds the maximum size",
  },
  { rule: "unknown field", taken: { top_k: 5 }, refused: { seed: 1 }, says: "seed: Extra inputs are not permitted" },
  {
    rule: "tool name",
    title: "of more than 128",
    taken: tools({ name: "n".repeat(128) }),
    refused: tools({ name: "n".repeat(129) }),
    says: "tools.0.custom.name: String should have at most 128 characters",
  },
  {
    rule: "tool name",
    title: "of other characters",
    taken: tools({ name: "a_b-c" }),
    refused: tools({ name: "a.b" }),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: "duplicate tools",
    taken: { tools: [...tools({}).tools, ...tools({ name: "g" }).tools] },
    refused: { tools: [...tools({}).tools, ...tools({}).tools] },
    says: "tools: Tool names must be unique.",
  },
  {
    rule: "tools of the history",
    taken: { ...tools({}), messages: [user, used("a"), answered("a")] },
    refused: { messages: [user, used("a"), answered("a")] },
    says: "must define `tools`",
  },
]);

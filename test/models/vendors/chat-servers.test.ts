import { defined } from "../../../lib/process/defined.ts";
import {
  answer,
  callTurn,
  calls,
  chatTool,
  chatTools,
  image,
  objectSchema,
  overflow,
  picture,
  result,
  times,
  user,
  wire,
  withSchema,
} from "./testing/chat.ts";
import { noPicture } from "./testing/pictures.ts";
import { describeRules, type RuleCase } from "./testing/rule-cases.ts";

const thought = (id: string, reasoning_content?: string) => ({
  messages: [user, { ...calls(id), ...defined({ reasoning_content }) }, result(id)],
});

/** What OpenAI's functions are refused for and these servers copy. */
const copied: Record<string, RuleCase> = {
  count: {
    rule: "tool count",
    taken: { tools: times(128, (index) => chatTool({ name: `f${index}` })) },
    refused: { tools: times(129, (index) => chatTool({ name: `f${index}` })) },
    says: "Expected an array with maximum length 128",
  },
  name: {
    rule: "tool name",
    taken: chatTools({ name: "n".repeat(64) }),
    refused: chatTools({ name: "n".repeat(65) }),
    says: "Invalid 'tools[0].function.name'",
  },
  schema: {
    rule: "tool schema",
    taken: withSchema(objectSchema),
    refused: withSchema({ type: "object" }),
    says: "object schema missing properties.",
  },
  type: {
    rule: "type of schemas",
    taken: withSchema({ type: "object" }),
    refused: withSchema({ type: "string" }),
    says: `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
  },
  messages: { rule: "messages", taken: {}, refused: { messages: [] }, says: "Invalid 'messages': empty array." },
  unanswered: {
    rule: "calls without results",
    taken: callTurn("a", user),
    refused: { messages: [user, calls("a"), user] },
    says: "An assistant message with 'tool_calls' must be followed by tool messages",
  },
  lost: {
    rule: "results without calls",
    taken: callTurn("a"),
    refused: { messages: [user, result("a")] },
    says: "messages with role 'tool' must be a response to a preceeding message",
  },
};

const pick = (...names: string[]) => names.flatMap((name) => copied[name] ?? []);

describeRules("openai-compatible", wire(), [
  ...pick("name", "type", "messages", "unanswered", "lost"),
  {
    rule: "call name",
    taken: callTurn("a"),
    refused: { messages: [user, { ...calls("a"), tool_calls: [{ id: "a", function: { name: "a.b" } }] }, result("a")] },
    says: "Invalid 'messages[1].tool_calls[0].function.name'",
  },
]);

describeRules("groq", wire(), [
  ...pick("count", "name", "schema", "messages", "unanswered", "lost"),
  { rule: "unknown field", taken: { seed: 1 }, refused: { top_k: 1 }, says: "property 'top_k' is unsupported" },
  {
    rule: "reasoning refused",
    taken: thought("a"),
    refused: thought("a", "hm"),
    says: "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  },
  {
    rule: "image count",
    taken: { messages: times(5, () => picture.messages).flat() },
    refused: { messages: times(6, () => picture.messages).flat() },
    says: "supports up to 5 images",
  },
  {
    rule: "image",
    taken: picture,
    refused: image(`data:image/png;base64,${noPicture}`),
    says: "You uploaded an unsupported image.",
  },
  {
    rule: "effort",
    title: "of gpt-oss",
    taken: { model: "openai/gpt-oss-120b", reasoning_effort: "low" },
    refused: { model: "openai/gpt-oss-120b", reasoning_effort: "minimal" },
    says: "reasoning_effort must be one of `low`, `medium`, `high`",
  },
  {
    rule: "effort",
    title: "of a model without",
    taken: {},
    refused: { reasoning_effort: "low" },
    says: "reasoning_effort is not supported with this model",
  },
  {
    rule: "stop",
    taken: { stop: ["a", "b", "c", "d"] },
    refused: { stop: ["a", "b", "c", "d", "e"] },
    says: "Invalid 'stop': array too long.",
  },
  {
    rule: "output limit",
    settings: { maxOutputTokens: 40_960 },
    taken: { max_completion_tokens: 40_960 },
    refused: { max_completion_tokens: 40_961 },
    says: "`max_completion_tokens` must be less than or equal to `40960`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model",
  },
  {
    rule: "tokens per minute",
    settings: { tokensPerMinute: 6_000 },
    taken: { max_tokens: 5_990 },
    refused: { max_tokens: 6_000 },
    status: 413,
    says: "on tokens per minute (TPM): Limit 6000, Requested 60",
  },
  overflow("Please reduce the length of the messages or completion."),
]);

describeRules("mistral", wire(), [
  ...pick("name", "type"),
  {
    rule: "unknown field",
    taken: { random_seed: 1 },
    refused: { top_k: 1 },
    status: 422,
    says: "Extra inputs are not permitted",
  },
  {
    rule: "empty messages",
    taken: answer("a"),
    refused: answer(""),
    says: "Assistant message must have either content or tool_calls, but not none.",
  },
  {
    rule: "call id",
    taken: callTurn("aBc123456"),
    refused: callTurn("call_search"),
    says: "Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9.",
  },
  {
    rule: "call id",
    title: "of ten characters",
    taken: callTurn("abcdefgh9"),
    refused: callTurn("abcdefgh90"),
    says: "Tool call id was abcdefgh90 but must be",
  },
  {
    rule: "order",
    title: "user after tool",
    taken: callTurn("aBc123456", { role: "assistant", content: "a" }, user),
    refused: callTurn("aBc123456", user),
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: "order",
    title: "tool after user",
    taken: callTurn("aBc123456"),
    refused: { messages: [user, result("aBc123456")] },
    says: "Unexpected role 'tool' after role 'user'",
  },
  {
    rule: "order",
    title: "an answer at the end",
    taken: { messages: [user, { role: "assistant", content: "a", prefix: true }] },
    refused: { messages: [user, { role: "assistant", content: "a" }] },
    says: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  },
  {
    rule: "calls without results",
    taken: callTurn("aBc123456"),
    refused: { messages: [user, calls("aBc123456", "aBc123457"), result("aBc123456")] },
    says: "Not the same number of function calls and responses",
  },
  {
    rule: "range of temperature",
    taken: { temperature: 1.5 },
    refused: { temperature: 1.6 },
    status: 422,
    says: "less than or equal to 1.5",
  },
  overflow("too large for model with 100 maximum context length"),
]);

describeRules("deepseek", wire("deepseek-chat"), [
  ...pick("count", "name", "schema", "messages"),
  {
    rule: "results without calls",
    taken: callTurn("a"),
    refused: { messages: [user, result("a")] },
    says: "Messages with role 'tool' must be a response to a preceding message",
  },
  {
    rule: "calls without results",
    taken: callTurn("a"),
    refused: { messages: [user, calls("a"), user] },
    says: "(insufficient tool messages following tool_calls message)",
  },
  {
    rule: "reasoning demanded",
    taken: { model: "deepseek-v4", ...thought("a", "hm") },
    refused: { model: "deepseek-v4", ...thought("a") },
    says: "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
  {
    rule: "reasoning refused",
    taken: { model: "deepseek-reasoner", ...thought("a") },
    refused: { model: "deepseek-reasoner", ...thought("a", "hm") },
    says: "`reasoning_content` is not supported in the input messages",
  },
  {
    rule: "output limit",
    taken: { max_tokens: 8_192 },
    refused: { max_tokens: 8_193 },
    says: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
  },
  overflow("This model's maximum context length is 100 tokens."),
]);

describeRules("kimi", wire("kimi-k2"), [
  ...pick("messages", "unanswered", "lost"),
  {
    rule: "reasoning demanded",
    taken: { model: "kimi-k2-thinking", ...thought("a", "hm") },
    refused: { model: "kimi-k2-thinking", ...thought("a") },
    says: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
  },
  overflow("exceeded model token limit: 100"),
]);

describeRules("cerebras", wire(), [
  ...pick("count", "name", "schema", "messages", "unanswered", "lost"),
  {
    rule: "reasoning refused",
    taken: thought("a"),
    refused: thought("a", "hm"),
    says: "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
  },
  overflow("no body", { status: 413 }),
]);

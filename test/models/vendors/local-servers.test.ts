import {
  answer,
  callTurn,
  calls,
  chatTools,
  image,
  objectSchema,
  overflow,
  picture,
  result,
  text,
  user,
  wire,
  withSchema,
} from "./testing/chat.ts";
import { noPicture } from "./testing/pictures.ts";
import { describeRules } from "./testing/rule-cases.ts";

const pattern = (value: string) =>
  withSchema({ ...objectSchema, properties: { a: { type: "string", pattern: value } } });

describeRules("vllm", wire(), [
  {
    rule: "lone surrogate",
    taken: { messages: [{ role: "user", content: "🐻" }] },
    refused: { messages: [{ role: "user", content: "\ud83d" }] },
    says: "surrogates not allowed",
  },
  { rule: "empty tools", taken: chatTools({}), refused: { tools: [] }, says: "`tools` must not be an empty array." },
  {
    rule: "tool choice",
    title: "without tools",
    taken: { tool_choice: "auto", ...chatTools({}) },
    refused: { tool_choice: "auto" },
    says: "When using `tool_choice`, `tools` must be set.",
  },
  {
    rule: "tool choice",
    title: "of a server without a parser",
    settings: { lacks: ["tools"] },
    taken: {},
    refused: chatTools({}),
    says: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  },
  {
    rule: "stream options",
    taken: { stream: true, stream_options: {} },
    refused: { stream_options: {} },
    says: "Stream options can only be defined when `stream=True`.",
  },
  { rule: "vision", settings: { lacks: ["vision"] }, taken: {}, refused: picture, says: "m is not a multimodal model" },
  {
    rule: "image",
    taken: picture,
    refused: image(`data:image/png;base64,${noPicture}`),
    says: "cannot identify image file",
  },
  {
    rule: "output limit",
    settings: { contextWindow: 4096 },
    taken: { ...text(4 * 1000 - 12), max_tokens: 3094 },
    refused: { ...text(4 * 1000 - 12), max_tokens: 3100 },
    says: "'max_tokens' or 'max_completion_tokens' is too large: 3100. This model's maximum context length is 4096 tokens and your request has",
  },
  overflow("However, the model's context length is only 100 tokens, resulting in a maximum input length of"),
]);

describeRules("llama.cpp", wire(), [
  {
    rule: "tools",
    settings: { lacks: ["tools"] },
    taken: {},
    refused: chatTools({}),
    status: 500,
    says: "tools param requires --jinja flag",
  },
  {
    rule: "pattern",
    title: "without anchors",
    taken: pattern("^a+$"),
    refused: pattern("a+"),
    says: "JSON schema conversion failed:\nPattern must start with '^' and end with '$'",
  },
  {
    rule: "pattern",
    title: "with a class",
    taken: pattern("^[0-9]+$"),
    refused: pattern("^\\d+$"),
    says: "Failed to initialize samplers: failed to parse grammar",
  },
  {
    rule: "empty messages",
    taken: answer(""),
    refused: answer(null),
    says: "Assistant message must contain either 'content' or 'tool_calls'!",
  },
  {
    rule: "two answers at the end",
    taken: { messages: [user, { role: "assistant", content: "a" }] },
    refused: { messages: [user, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }] },
    says: "Cannot have 2 or more assistant messages at the end of the list.",
  },
  {
    rule: "vision",
    settings: { lacks: ["vision"] },
    taken: {},
    refused: picture,
    status: 500,
    says: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  },
  overflow("exceeds the available context size (100 tokens), try increasing it"),
]);

describeRules("ollama", wire(), [
  {
    rule: "property schemas",
    taken: withSchema({ type: "object", properties: { a: {} } }),
    refused: withSchema({ type: "object", properties: { a: true } }),
    says: "json: cannot unmarshal bool into Go struct field",
  },
  { rule: "content", taken: callTurn("a"), refused: answer(null), says: "invalid message content type: <nil>" },
  {
    rule: "arguments",
    taken: callTurn("a"),
    refused: {
      messages: [
        user,
        { ...calls("a"), tool_calls: [{ id: "a", function: { name: "f", arguments: "[]" } }] },
        result("a"),
      ],
    },
    says: "invalid tool call arguments",
  },
  {
    rule: "image",
    title: "of a type that is not read",
    taken: picture,
    refused: image("data:image/gif;base64,R0lGODlh"),
    says: "invalid image input",
  },
  {
    rule: "image",
    title: "by address",
    taken: picture,
    refused: image("https://example.com/a.png"),
    says: "image URLs are not currently supported, please use base64 encoded data instead",
  },
  {
    rule: "effort",
    taken: { reasoning_effort: "high" },
    refused: { reasoning_effort: "xhigh" },
    says: 'invalid reasoning value: "xhigh" (must be "minimal", "low"',
  },
  {
    rule: "tools",
    settings: { lacks: ["tools"] },
    taken: {},
    refused: chatTools({}),
    says: '"m" does not support tools',
  },
  {
    rule: "thinking",
    settings: { lacks: ["thinking"] },
    taken: { reasoning_effort: "none" },
    refused: { reasoning_effort: "low" },
    says: '"m" does not support thinking',
  },
  {
    rule: "vision",
    settings: { lacks: ["vision"] },
    taken: {},
    refused: picture,
    says: '"m" does not support vision',
  },
]);

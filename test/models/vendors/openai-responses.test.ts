import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { objectSchema, times } from "./testing/chat.ts";
import { noPicture, png } from "./testing/pictures.ts";
import { describeRules } from "./testing/rule-cases.ts";

const user = { role: "user", content: [{ type: "input_text", text: "hi" }] };
const tool = (fields: object = {}) => ({ type: "function", name: "f", parameters: objectSchema, ...fields });
const call = (id: string, name = "f") => ({ type: "function_call", call_id: id, name, arguments: "{}" });
const output = (id: string, text = "ok") => ({ type: "function_call_output", call_id: id, output: text });
const image = (url: string) => ({ input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] });
const dataUrl = (length: number) => {
  const head = "data:image/png;base64,";
  const start = png(1, 1, 24);
  return head + start + "A".repeat(length - head.length - start.length);
};
const form = (schema: unknown) => ({ text: { format: { type: "json_schema", name: "answer", schema, strict: true } } });
const reasoning = (fields: object = {}) => ({ type: "reasoning", id: "rs_1", summary: [], ...fields });
const sealed = reasoning({ encrypted_content: "sealed" });
const path = "/v1/responses";

describeRules("openai-responses", { path, base: { model: "gpt-4.1", input: [user], store: false } }, [
  {
    rule: "lone surrogate",
    taken: { input: "🐻" },
    refused: { input: "\udc3b" },
    says: "We could not parse the JSON body of your request.",
  },
  { rule: "unknown field", taken: { top_p: 0.5 }, refused: { top_k: 5 }, says: "Unknown parameter: 'top_k'." },
  {
    rule: "tool count",
    taken: { tools: times(128, (index) => tool({ name: `f${index}` })) },
    refused: { tools: times(129, (index) => tool({ name: `f${index}` })) },
    says: "Expected an array with maximum length 128, but got an array with length 129 instead.",
  },
  {
    rule: "tool name",
    taken: { tools: [tool({ name: "n".repeat(128) })] },
    refused: { tools: [tool({ name: "n".repeat(129) })] },
    says: "Invalid 'tools[0].name': string too long. Expected a string with maximum length 128",
  },
  {
    rule: "tool schema",
    taken: { tools: [tool({ description: "d".repeat(5000) })] },
    refused: { tools: [tool({ parameters: { type: "object" } })] },
    says: "Invalid schema for function 'f': In context=(), object schema missing properties.",
  },
  {
    rule: "answer schema",
    taken: form({ type: "object", properties: {}, required: [], additionalProperties: false }),
    refused: form({ type: "object", properties: {}, required: [] }),
    says: "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required",
  },
  { rule: "input", taken: { input: "hi" }, refused: { input: [] }, says: "Missing required parameter: 'input'." },
  {
    rule: "call id",
    title: "of more than 64",
    taken: { input: [user, call("i".repeat(64)), output("i".repeat(64))] },
    refused: { input: [user, call("i".repeat(65)), output("i".repeat(65))] },
    says: "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64",
  },
  {
    rule: "call id",
    title: "of nothing",
    taken: { input: [user, call("i"), output("i")] },
    refused: { input: [user, call(""), output("")] },
    says: "Invalid 'input[1].call_id': empty string.",
  },
  {
    rule: "call name",
    taken: { input: [user, call("a"), output("a")] },
    refused: { input: [user, call("a", "b.c"), output("a")] },
    says: "Invalid 'input[1].name': string does not match pattern.",
  },
  {
    rule: "calls without outputs",
    taken: { input: [user, call("a"), call("b"), output("b"), output("a")] },
    refused: { input: [user, call("a"), call("b"), output("b")] },
    says: "No tool output found for function call a.",
  },
  {
    rule: "outputs without calls",
    taken: { input: [user, call("a"), output("a")] },
    refused: { input: [user, output("a")] },
    says: "No tool call found for function call output with call_id a.",
  },
  {
    rule: "length of outputs",
    taken: { input: [user, call("a"), output("a", "x".repeat(10_485_760))] },
    refused: { input: [user, call("a"), output("a", "x".repeat(10_485_761))] },
    says: "Invalid 'input[2].output': string too long.",
  },
  {
    rule: "reasoning that was not stored",
    taken: { input: [user, sealed, call("a"), output("a")] },
    refused: { input: [user, reasoning(), call("a"), output("a")] },
    status: 404,
    says: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  },
  {
    rule: "reasoning without what followed",
    taken: { input: [user, sealed, { role: "assistant", content: [] }] },
    refused: { input: [user, sealed, user] },
    says: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: "image",
    title: "that is none",
    taken: image(`data:image/png;base64,${png()}`),
    refused: image(`data:image/png;base64,${noPicture}`),
    says: "You uploaded an unsupported image.",
  },
  {
    rule: "image",
    title: "above 20 MiB of text",
    taken: image(dataUrl(20_971_518)),
    refused: image(dataUrl(20_971_522)),
    says: "string too long. Expected a string with maximum length 20971520",
  },
  {
    rule: "smallest output limit",
    taken: { max_output_tokens: 16 },
    refused: { max_output_tokens: 15 },
    says: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16",
  },
  {
    rule: "output limit",
    settings: { maxOutputTokens: 100 },
    taken: { max_output_tokens: 100 },
    refused: { max_output_tokens: 101 },
    says: "max_output_tokens is too large: 101.",
  },
  {
    rule: "effort",
    title: "of a model that does not reason",
    taken: { model: "o3", reasoning: { effort: "low" } },
    refused: { reasoning: { effort: "low" } },
    says: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  },
  {
    rule: "effort",
    title: "that cannot be turned off",
    taken: { model: "gpt-5.1", reasoning: { effort: "none" } },
    refused: { model: "gpt-5", reasoning: { effort: "none" } },
    says: "Unsupported value: 'none' is not supported with the 'gpt-5' model.",
  },
  {
    rule: "samplers of reasoning models",
    taken: { model: "gpt-5-chat-latest", top_p: 0.5 },
    refused: { model: "gpt-5.5", top_p: 0.5 },
    says: "Unsupported parameter: 'top_p' is not supported with this model.",
  },
  {
    rule: "range of temperature",
    taken: { temperature: 2 },
    refused: { temperature: 3 },
    says: "Expected a value <= 2, but got 3 instead.",
  },
  {
    rule: "overflow",
    settings: { contextWindow: 100 },
    taken: { input: "x".repeat(400) },
    refused: { input: "x".repeat(401) },
    says: "Your input exceeds the context window of this model.",
  },
]);

test("openai-responses tells of an overflow inside the stream, after a 200", () => {
  const text = JSON.stringify({ model: "m", input: "x".repeat(401), stream: true });
  const refusal = judge({ name: "openai-responses", contextWindow: 100 }, { path, text });
  expect(refusal).toMatchObject({ status: 200, rule: "overflow" });
  expect(refusal?.frames?.at(-1)).toContain('"code":"context_length_exceeded"');
  expect(refusal?.frames?.at(-1)).toContain('"sequence_number":2');
});

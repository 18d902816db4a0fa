import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { times } from "./testing/chat.ts";
import { gif, noPicture, png } from "./testing/pictures.ts";
import { describeRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", parts: [{ text: "hi" }] };
const declared = (fields: object) => ({
  tools: [{ functionDeclarations: [{ name: "f", description: "d", ...fields }] }],
});
const property = (a: unknown) => declared({ parameters: { type: "object", properties: { a } } });
const full = (parametersJsonSchema: object) => declared({ parametersJsonSchema });
const named = (...names: string[]) => ({ tools: [{ functionDeclarations: names.map((name) => ({ name })) }] });
const call = { functionCall: { name: "f", args: {} } };
const signed = { ...call, thoughtSignature: "s" };
const calls = (count: number) => ({ role: "model", parts: times(count, (index) => (index === 0 ? signed : call)) });
const responses = (count: number, response: object = {}) => ({
  role: "user",
  parts: times(count, () => ({ functionResponse: { name: "f", response } })),
});
const image = (mimeType: string, data: string) => ({
  contents: [{ role: "user", parts: [{ inlineData: { mimeType, data } }] }],
});
const path = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse";
const base = { contents: [user] };
const string = { type: "string" };
const place = "tools[0].function_declarations[0].parameters.properties[0].value";

const unknownNames: RuleCase[] = ["exclusiveMinimum", "const", "$schema", "oneOf", "additionalProperties", "$ref"].map(
  (key) => ({
    rule: "names of schema fields",
    title: key,
    taken: property(string),
    refused: property({ ...string, [key]: 1 }),
    says: `Invalid JSON payload received. Unknown name "${key}" at '${place}': Cannot find field.`,
  }),
);

describeRules("google", { path, base }, [
  ...unknownNames,
  {
    rule: "unknown field",
    taken: { labels: {} },
    refused: { model_: "m" },
    says: 'Unknown name "model_": Cannot find field.',
  },
  {
    rule: "names of schema fields",
    title: "a list of types",
    taken: property({ ...string, nullable: true }),
    refused: property({ type: ["string", "null"] }),
    says: "Proto field is not repeating, cannot start list.",
  },
  {
    rule: "names of schema fields",
    title: "a type of no kind",
    taken: property({ type: "STRING" }),
    refused: property({ type: "enum" }),
    says: `Invalid value at '${place}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "enum"`,
  },
  {
    rule: "names of schema fields",
    title: "a schema that is true",
    taken: property(string),
    refused: property(true),
    says: `Invalid value at '${place}'`,
  },
  {
    rule: "tool count",
    taken: named(...times(512, (index) => `f${index}`)),
    refused: named(...times(513, (index) => `f${index}`)),
    says: "tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.",
  },
  {
    rule: "tool name",
    title: "of more than 64",
    taken: named("n".repeat(64)),
    refused: named("n".repeat(65)),
    says: "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.",
  },
  {
    rule: "tool name",
    title: "that begins with a digit",
    taken: named("_1.a:b-c"),
    refused: named("1a"),
    says: "Must start with a letter or an underscore.",
  },
  {
    rule: "duplicate tools",
    taken: named("f", "g"),
    refused: named("f", "f"),
    says: "Duplicate function declaration found: f",
  },
  {
    rule: "schemas",
    title: "an array without items",
    taken: property({ type: "array", items: string }),
    refused: property({ type: "array" }),
    says: "parameters.properties[a].items: missing field.",
  },
  {
    rule: "schemas",
    title: "an enum of numbers",
    taken: property({ ...string, enum: ["1"] }),
    refused: property({ type: "integer", enum: [1] }),
    says: "parameters.properties[a].enum: only allowed for STRING type",
  },
  {
    rule: "schemas",
    title: "a property without type",
    taken: property({ anyOf: [string] }),
    refused: property({}),
    says: "parameters.properties[a]: schema didn't specify the schema type field.",
  },
  {
    rule: "schemas",
    title: "a key of other characters",
    taken: declared({ parameters: { type: "object", properties: { _a1: string } } }),
    refused: declared({ parameters: { type: "object", properties: { "a-b": string } } }),
    says: "Invalid property name.",
  },
  {
    rule: "empty properties",
    taken: property(string),
    refused: declared({ parameters: { type: "object", properties: {} } }),
    says: "parameters.properties: should be non-empty for OBJECT type",
  },
  {
    rule: "one schema only",
    taken: full({ type: "object" }),
    refused: declared({ parametersJsonSchema: {}, parameters: { type: "object", properties: { a: string } } }),
    says: "only one of parameters and parameters_json_schema can be set",
  },
  {
    rule: "references",
    title: "to nothing",
    taken: full({ type: "object", properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: string } }),
    refused: full({ type: "object", properties: { a: { anyOf: [{ $ref: "#/$defs/b" }] } } }),
    says: "reference to undefined schema at properties.a.anyOf.0",
  },
  {
    rule: "references",
    title: "to itself",
    taken: full({ type: "object" }),
    refused: full({ type: "object", properties: { a: { $ref: "#" } } }),
    says: "Request contains an invalid argument.",
  },
  { rule: "contents", taken: {}, refused: { contents: [] }, says: "contents is not specified" },
  {
    rule: "empty contents",
    taken: {},
    refused: { contents: [{ role: "user", parts: [] }] },
    says: "contents[0].parts: contents.parts must not be empty.",
  },
  {
    rule: "turns of calls",
    title: "a call after an answer",
    taken: { contents: [user, calls(1), responses(1), calls(1), responses(1)] },
    refused: { contents: [user, { role: "model", parts: [{ text: "a" }] }, calls(1), responses(1)] },
    says: "Please ensure that function call turn comes immediately after a user turn",
  },
  {
    rule: "turns of calls",
    title: "a response without a call",
    taken: { contents: [user, calls(1), responses(1)] },
    refused: { contents: [user, responses(1)] },
    says: "Please ensure that function response turn comes immediately after a function call turn.",
  },
  {
    rule: "responses to calls",
    taken: { contents: [user, calls(2), responses(2)] },
    refused: { contents: [user, calls(2), responses(1)] },
    says: "the number of function response parts is equal to the number of function call parts",
  },
  {
    rule: "references in responses",
    taken: { contents: [user, calls(1), responses(1, { ref: "x" })] },
    refused: { contents: [user, calls(1), responses(1, { schema: { $ref: "#/$defs/X" } })] },
    says: "The referenced name '#/$defs/X' in function_response.response does not match to a display_name",
  },
  {
    rule: "image",
    taken: image("image/png", png()),
    refused: image("image/png", noPicture),
    says: "Unable to process input image.",
  },
  { rule: "gif", taken: image("image/png", png()), refused: image("image/gif", gif), says: "image/gif" },
  {
    rule: "output limit",
    settings: { maxOutputTokens: 65_536 },
    taken: { generationConfig: { maxOutputTokens: 65_536 } },
    refused: { generationConfig: { maxOutputTokens: 65_537 } },
    says: "a maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
  },
  {
    rule: "stop sequences",
    taken: { generationConfig: { stopSequences: ["a", "b", "c", "d", "e"] } },
    refused: { generationConfig: { stopSequences: ["a", "b", "c", "d", "e", "f"] } },
    says: "at most 5",
  },
  {
    rule: "overflow",
    settings: { contextWindow: 100 },
    taken: { contents: [{ role: "user", parts: [{ text: "x".repeat(370) }] }] },
    refused: { contents: [{ role: "user", parts: [{ text: "x".repeat(400) }] }] },
    says: "exceeds the maximum number of tokens allowed (100).",
  },
  {
    rule: "signatures of thoughts",
    taken: { contents: [user, { role: "model", parts: [signed, call] }, responses(2)] },
    refused: { contents: [user, { role: "model", parts: [call, signed] }, responses(2)] },
    says: "Function call is missing a thought_signature in functionCall parts.",
  },
]);

const judgeAt = (model: string, body: object) =>
  judge("google", { path: `/v1beta/models/${model}:generateContent`, text: JSON.stringify(body) });

test("google: neither older models nor earlier turns need signatures", () => {
  const unsigned = [user, { role: "model", parts: [call] }, responses(1)];
  expect(judgeAt("gemini-2.5-pro", { contents: unsigned })).toBeUndefined();
  const answer = { role: "model", parts: [{ text: "a" }] };
  expect(judgeAt("gemini-3-pro", { contents: [...unsigned, answer, user] })).toBeUndefined();
  expect(judgeAt("gemini-3-pro", { contents: unsigned })).toMatchObject({ rule: "signatures of thoughts" });
});

test("google reports every fault at once, in an array where the stream is no event stream", () => {
  const body = declared({ parameters: { type: "object", properties: { a: { const: 1 }, b: { not: {} } }, $id: "x" } });
  const text = JSON.stringify({ ...base, ...body });
  const refusal = judge("google", { path: "/v1beta/models/m:streamGenerateContent", text });
  const error = { code: 400, status: "INVALID_ARGUMENT", details: [{ fieldViolations: [{}, {}, {}] }] };
  expect(refusal?.body).toMatchObject([{ error }]);
});

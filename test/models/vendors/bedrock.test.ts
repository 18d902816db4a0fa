import { times } from "./testing/chat.ts";
import { gif, noPicture, png } from "./testing/pictures.ts";
import { describeRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", content: [{ text: "hi" }] };
const schema = { type: "object", properties: {} };
const spec = (fields: object = {}) => ({
  toolSpec: { name: "f", description: "d", inputSchema: { json: schema }, ...fields },
});
const tools = (fields: object = {}) => ({ toolConfig: { tools: [spec(fields)] } });
const withSchema = (json: object) => tools({ inputSchema: { json } });
const used = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((toolUseId) => ({ toolUse: { toolUseId, name: "f", input: {} } })),
});
const result = (toolUseId: string, fields: object = {}) => ({
  toolResult: { toolUseId, content: [{ text: "ok" }], ...fields },
});
const answered = (...ids: string[]) => ({ role: "user", content: ids.map((id) => result(id)) });
const history = (...messages: object[]) => ({ ...tools(), messages });
const said = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const image = (bytes: string, format = "png") => ({ image: { format, source: { bytes } } });
const inference = (fields: object) => ({ inferenceConfig: fields });

const limit = (title: string, taken: object, refused: object, says: string): RuleCase => ({
  rule: "constraints",
  title,
  taken: { ...taken },
  refused: { ...refused },
  says: `failed to satisfy constraint: Member must ${says}`,
});
const spot = "at 'toolConfig.tools.1.member.toolSpec.name'";
const id = (length: number) => history(user, used("i".repeat(length)), answered("i".repeat(length)));

const constraints: RuleCase[] = [
  limit(
    "name of 64",
    tools({ name: "n".repeat(64) }),
    tools({ name: "n".repeat(65) }),
    "have length less than or equal to 64",
  ),
  {
    ...limit("name", tools({ name: "a-b_1" }), tools({ name: "a.b" }), ""),
    says: `1 validation error detected: Value 'a.b' ${spot} failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
  },
  limit(
    "description",
    tools({ description: "d" }),
    tools({ description: "" }),
    "have length greater than or equal to 1",
  ),
  limit("tools", tools(), { toolConfig: { tools: [] } }, "have length greater than or equal to 1"),
  limit("id of 64", id(64), id(65), "have length less than or equal to 64"),
  limit(
    "id",
    history(user, used("a:b.c"), answered("a:b.c")),
    history(user, used("a/b"), answered("a/b")),
    "satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
  ),
  limit("system", { system: [{ text: "s" }] }, { system: [{ text: "" }] }, "have length greater than or equal to 1"),
  limit("maxTokens", inference({ maxTokens: 1 }), inference({ maxTokens: 0 }), "have value greater than or equal to 1"),
  limit(
    "temperature",
    inference({ temperature: 1 }),
    inference({ temperature: 1.1 }),
    "have value less than or equal to 1",
  ),
  limit("topP", inference({ topP: 0 }), inference({ topP: -0.1 }), "have value greater than or equal to 0"),
  limit(
    "stop",
    inference({ stopSequences: times(2500, () => "s") }),
    inference({ stopSequences: times(2501, () => "s") }),
    "have length less than or equal to 2500",
  ),
  limit(
    "stop of nothing",
    inference({ stopSequences: ["s"] }),
    inference({ stopSequences: [""] }),
    "have length greater than or equal to 1",
  ),
  limit("format", said(image(png())), said(image(png(), "bmp")), "satisfy enum value set: [png, jpeg, gif, webp]"),
];

const claude: RuleCase[] = (
  [
    [
      "combinators",
      { ...schema },
      { ...schema, anyOf: [{}] },
      "tools.0.custom.input_schema: input_schema does not support oneOf",
    ],
    [
      "keys",
      { type: "object", properties: { a: {} } },
      { type: "object", properties: { $top: {} } },
      "Property keys should match pattern",
    ],
    ["drafts", schema, { ...schema, minProperties: true }, "It must match JSON Schema draft 2020-12"],
  ] as const
).map(([title, taken, refused, says]) => ({
  rule: "tools of Claude",
  title,
  taken: withSchema(taken),
  refused: withSchema(refused),
  says,
}));

const pictures: RuleCase[] = [
  {
    rule: "image",
    title: "that is none",
    taken: said(image(png())),
    refused: said(image(noPicture)),
    says: "Could not process image",
  },
  {
    rule: "image",
    title: "that is another",
    taken: said(image(gif, "gif")),
    refused: said(image(gif)),
    says: "Image does not match the provided media type image/png",
  },
  {
    rule: "image",
    title: "of 3.75 MiB",
    taken: said(image(png(1, 1, 3_932_160))),
    refused: said(image(png(1, 1, 3_932_163))),
    says: "3932163 bytes > 3932160 bytes",
  },
  {
    rule: "image",
    title: "of 8,000 pixels",
    taken: said(image(png(8000, 1))),
    refused: said(image(png(8001, 1))),
    says: "exceed max allowed size: 8000 pixels",
  },
  {
    rule: "image",
    title: "of twenty",
    taken: said(...times(20, () => image(png()))),
    refused: said(...times(21, () => image(png()))),
    says: "too many images: 21 > 20",
  },
  {
    rule: "image",
    title: "of the model",
    taken: said(image(png())),
    refused: { messages: [user, { role: "assistant", content: [image(png())] }, user] },
    says: "only allowed in messages of the user role",
  },
];

const path = "/model/eu.anthropic.claude-sonnet-4-5-v1%3A0/converse-stream";

describeRules("bedrock", { path, base: { messages: [user] } }, [
  ...constraints,
  ...claude,
  ...pictures,
  {
    rule: "type of schemas",
    taken: withSchema({ type: "object" }),
    refused: withSchema({ properties: {} }),
    says: "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.",
  },
  {
    rule: "first message",
    taken: {},
    refused: { messages: [{ role: "assistant", content: [{ text: "a" }] }] },
    says: "A conversation must start with a user message.",
  },
  {
    rule: "alternating roles",
    taken: { messages: [user, { role: "assistant", content: [{ text: "a" }] }, user] },
    refused: { messages: [user, user] },
    says: 'roles must alternate between "user" and "assistant"',
  },
  {
    rule: "empty messages",
    taken: {},
    refused: said(),
    says: "The content field in the Message object at messages.0 is empty.",
  },
  {
    rule: "blank text",
    taken: said({ text: " ." }),
    refused: said({ text: "\n\n" }),
    says: "The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.",
  },
  {
    rule: "tools of the history",
    taken: history(user, used("a"), answered("a")),
    refused: { messages: [user, used("a"), answered("a")] },
    says: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  },
  {
    rule: "calls without results",
    taken: history(user, used("a", "b"), answered("b", "a")),
    refused: history(user, used("a", "b"), answered("b")),
    says: "Expected toolResult blocks at messages.2.content for the following Ids: a",
  },
  {
    rule: "results without calls",
    taken: history(user, used("a"), answered("a")),
    refused: history(user, used("a"), answered("a", "b")),
    says: "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
  },
  {
    rule: "empty errors",
    taken: history(user, used("a"), { role: "user", content: [result("a", { content: [] })] }),
    refused: history(user, used("a"), { role: "user", content: [result("a", { content: [], status: "error" })] }),
    says: "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
  },
  {
    rule: "documents",
    taken: said({ document: {} }, { text: "t" }),
    refused: said({ document: {} }),
    says: "A text block must be included when using documents.",
  },
  {
    rule: "output limit",
    settings: { maxOutputTokens: 4096 },
    taken: inference({ maxTokens: 4096 }),
    refused: inference({ maxTokens: 4097 }),
    says: "The maximum tokens you requested exceeds the model limit of 4096.",
  },
  {
    rule: "samplers of Claude",
    taken: inference({ topP: 0.5 }),
    refused: inference({ topP: 0.5, temperature: 0.5 }),
    says: "The model returned the following errors: `temperature` and `top_p` cannot both be specified",
  },
  {
    rule: "overflow",
    settings: { contextWindow: 100 },
    taken: said({ text: "x".repeat(380) }),
    refused: said({ text: "x".repeat(401) }),
    says: "Input is too long for requested model.",
  },
]);

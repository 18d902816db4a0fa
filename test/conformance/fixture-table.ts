// The suite's fixtures that need nothing but a table: tools, prompts and resources with fixed answers, as its scenarios prescribe them.
// Tools that ask the client something are listed here too, and answered by the era's extension.
import { setTimeout as sleep } from "node:timers/promises";
import { fixtureResources } from "./fixture-resources.ts";
import {
  type Content,
  type JsonObjectSchema,
  type McpTable,
  type PromptEntry,
  staticTools,
  type ToolEntry,
  type ToolResult,
} from "../../lib/mcp/table.ts";

/** A red pixel, and a wave file without a sample. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const noArguments: JsonObjectSchema = { type: "object", properties: {}, additionalProperties: false };
const text = (value: string): Content => ({ type: "text", text: value });
const image: Content = { type: "image", data: png, mimeType: "image/png" };

export const textResult = (value: string): ToolResult & { content: Content[] } => ({ content: [text(value)] });

function tool(name: string, call: ToolEntry["call"], inputSchema: JsonObjectSchema = noArguments): ToolEntry {
  return { name, description: `The conformance suite's ${name}.`, inputSchema, call };
}

/** Answered by an extension; a call that reaches the table came in the other era. */
const asked = (name: string, inputSchema?: JsonObjectSchema): ToolEntry =>
  tool(name, async () => ({ ...textResult(`${name} is not for this era`), isError: true }), inputSchema);

const stringArgument = (name: string): JsonObjectSchema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

const schema2020: JsonObjectSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const plainTools: ToolEntry[] = [
  tool("test_simple_text", async () => textResult("This is a simple text response for testing.")),
  tool("test_image_content", async () => ({ content: [image] })),
  tool("test_audio_content", async () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] })),
  tool("test_embedded_resource", async () => ({
    content: [
      {
        type: "resource",
        resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource." },
      },
    ],
  })),
  tool("test_multiple_content_types", async () => ({
    content: [
      text("Multiple content types test:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  })),
  tool("test_error_handling", async () => ({
    ...textResult("This tool intentionally returns an error for testing"),
    isError: true,
  })),
  tool("test_tool_with_progress", async (_args, { sendProgress }) => {
    for (const progress of [0, 50, 100]) {
      await sendProgress?.({ progress, total: 100, message: `${progress} of 100` });
      await sleep(20);
    }
    return textResult("done");
  }),
  tool("json_schema_2020_12_tool", async (args) => textResult(JSON.stringify(args)), schema2020),
];

const askingTools: ToolEntry[] = [
  asked("test_tool_with_logging"),
  asked("test_reconnection"),
  asked("test_sampling", stringArgument("prompt")),
  asked("test_elicitation", stringArgument("message")),
  ...["test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"].map((name) => asked(name)),
  ...["test_missing_capability", "test_streaming_elicitation", "test_logging_tool"].map((name) => asked(name)),
  ...[
    "elicitation",
    "sampling",
    "list_roots",
    "request_state",
    "multiple_inputs",
    "multi_round",
    "tampered_state",
    "capabilities",
  ].map((name) => asked(`test_input_required_result_${name}`)),
];

function prompt(name: string, names: string[], get: (args: Record<string, string>) => Content[]): PromptEntry {
  return {
    name,
    description: `The conformance suite's ${name}.`,
    arguments: names.map((argument) => ({ name: argument, required: true })),
    get: async (args) => ({ messages: get(args).map((content) => ({ role: "user", content })) }),
  };
}

const prompts: PromptEntry[] = [
  prompt("test_simple_prompt", [], () => [text("This is a simple prompt for testing.")]),
  prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]),
  prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri = "" }) => [
    {
      type: "resource",
      resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
    },
    text("Please process the embedded resource above."),
  ]),
  prompt("test_prompt_with_image", [], () => [image, text("Please analyze the image above.")]),
  prompt("test_input_required_result_prompt", [], () => [text("not for this era")]),
];

export const complete = (value: string) => {
  const values = ["paris", "park", "party"].filter((word) => word.startsWith(value));
  return { completion: { values, total: values.length, hasMore: false } };
};

export const fixtureTable: McpTable = {
  server: { name: "conformance-fixtures", version: "1.0.0" },
  tools: staticTools([...plainTools, ...askingTools]),
  prompts,
  resources: fixtureResources,
};

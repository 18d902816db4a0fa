// A tool server that wants the dashboard to run what it says, in every place where a server says something: names, titles, descriptions,
// schemas, instructions, progress, results, errors, resources, prompts and questions. What it says is in a file beside it.
import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

interface Said {
  /** All texts, each by itself. */
  texts: string[];
  /** All texts in one, by the name of the field that it is for. */
  fields: Record<string, string>;
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the test that starts it
const { texts, fields } = JSON.parse(readFileSync("hostile.txt", "utf8")) as Said;
const say = (field: string): string => fields[field] ?? "";
/** As many as a form shows with controls. */
const some = texts.filter((_, index) => index % 9 === 0);

const server = new Server(
  { name: say("calls-itself"), version: say("version") },
  {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: say("instructions"),
  },
);

/** Every place of a schema that people read. */
const form = {
  type: "object" as const,
  title: say("schema-title"),
  description: say("schema-description"),
  properties: {
    plain: {
      type: "string",
      title: say("property-title"),
      description: say("property-description"),
      default: say("property-default"),
      examples: texts,
      pattern: "property-pattern:<img src=x onerror=__xss\\(\\)>|x",
      format: say("property-format"),
    },
    picked: { type: "string", enum: [say("property-enum"), ...texts] },
    named: {
      oneOf: [
        { const: say("property-const"), title: say("variant-title") },
        { const: "x", title: "x" },
      ],
    },
    short: { type: "string", enum: some.slice(0, 5) },
    inner: {
      type: "object",
      title: say("group-title"),
      description: say("group-description"),
      properties: { a: { type: "string" } },
    },
    listed: { type: "array", items: { type: "string", title: say("item-title") } },
    ...Object.fromEntries(some.map((text) => [text, { type: "string", title: text, description: text }])),
  },
};
const open = { type: "object" as const, additionalProperties: true };

const tools: Tool[] = [
  {
    name: "read_note",
    title: say("tool-title"),
    description: say("tool-description"),
    annotations: { title: say("annotation-title"), readOnlyHint: true },
    inputSchema: form,
  },
  { name: "read_answer", description: "Asks.", inputSchema: open },
  { name: "list_failure", description: "Fails.", inputSchema: open },
  { name: "count_error", description: "Breaks.", inputSchema: open },
  {
    name: "read_structure",
    description: "Does not do as it says.",
    inputSchema: open,
    outputSchema: { type: "object", properties: { count: { type: "number" } }, required: ["count", ...some] },
  },
  { name: "keep_note", title: say("asked-title"), description: say("asked-description"), inputSchema: open },
  ...texts.map((text) => ({
    name: text,
    title: text,
    description: text,
    annotations: { title: text },
    inputSchema: open,
  })),
];
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta, sendNotification, sendRequest }) => {
  switch (params.name) {
    case "read_answer": {
      const requestedSchema = {
        type: "object" as const,
        properties: {
          plain: { type: "string", title: say("asked-property-title"), description: say("asked-property-description") },
          picked: { type: "string", enum: [say("asked-enum"), ...some], enumNames: [say("asked-enum-name"), ...some] },
        },
      };
      const question = { method: "elicitation/create", params: { message: say("question"), requestedSchema } } as const;
      const { action } = await sendRequest(question, ElicitResultSchema);
      return text(action);
    }
    case "list_failure":
      return { ...text(say("tool-error")), isError: true };
    case "count_error":
      throw new Error(say("protocol-error"));
    case "read_structure":
      return { ...text(say("structured-text")), structuredContent: Object.fromEntries(some.map((key) => [key, key])) };
    default: {
      const progressToken = _meta?.progressToken;
      for (const [index, message] of [say("progress"), ...some].entries()) {
        if (progressToken === undefined) break;
        const progress = { progressToken, progress: index + 1, message };
        await sendNotification({ method: "notifications/progress", params: progress });
      }
      if (progressToken !== undefined) {
        const progress = { progressToken, progress: some.length + 2, message: say("progress") };
        await sendNotification({ method: "notifications/progress", params: progress });
        // So long it is on the screen.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
      return {
        content: [
          { type: "text" as const, text: say("tool-result") },
          {
            type: "resource_link" as const,
            uri: `javascript:__xss()`,
            name: say("link-name"),
            description: say("link-description"),
          },
          {
            type: "resource" as const,
            resource: { uri: "data:text/html,__xss()", mimeType: "text/html", text: say("embedded") },
          },
          { type: "image" as const, data: "PHN2ZyBvbmxvYWQ9X194c3MoKT4=", mimeType: "image/svg+xml" },
        ],
      };
    }
  }
});

const resource = { uri: "note://hostile", mimeType: "text/html" };
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: [
    { ...resource, name: say("resource-name"), title: say("resource-title"), description: say("resource-description") },
    { ...resource, uri: "javascript:__xss()", name: "an address" },
    ...texts.map((name, index) => ({ uri: `note://${index}/${encodeURIComponent(name)}`, name, mimeType: name })),
  ],
}));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [
    { uriTemplate: "note://{a}", name: say("template-name"), description: say("template-description") },
  ],
}));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
  contents: [{ uri, mimeType: "text/html", text: say("resource-text") }],
}));
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: [
    {
      name: "hostile",
      title: say("prompt-title"),
      description: say("prompt-description"),
      arguments: [
        { name: "about", description: say("argument-description") },
        ...some.map((name) => ({ name, description: name })),
      ],
    },
    ...texts.map((name) => ({ name, title: name, description: name })),
  ],
}));
server.setRequestHandler(GetPromptRequestSchema, () => ({
  description: say("got-description"),
  messages: [{ role: "user", content: { type: "text", text: say("prompt-text") } }],
}));

process.stderr.write(`${say("stderr").replaceAll("\n", " ")}\n`);
await server.connect(new StdioServerTransport());

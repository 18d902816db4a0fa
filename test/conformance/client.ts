// The client that agents use for downstream servers, driven by the conformance suite: it connects to the URL it is given,
// lists the tools, and calls each with arguments made from its schema. Whoever is asked by a tool sends the form back as it came
// filled in. What fails is the suite's to judge, from the wire.
import type { Question } from "../../lib/mcp/asking.ts";
import { connectMcp } from "../../lib/mcp/connect.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { JsonObjectSchema } from "../../lib/mcp/table.ts";

const signal = AbortSignal.timeout(20_000);

const schemas: Record<string, JsonObjectSchema> = {};

/** Simple values for what the schema requires, and what the scenario prescribes: its own arguments, or a schema sent back. */
function renderArguments(name: string, { properties = {}, required = [] }: JsonObjectSchema): Record<string, unknown> {
  const prescribed = readPrescribed()[name];
  if (prescribed !== undefined) return prescribed;
  if (name === "json_schema_echo") return { schema: schemas["json_schema_2020_12_tool"] };
  return Object.fromEntries(
    required.map((field) => {
      const schema = properties[field];
      const type = isJsonObject(schema) ? schema["type"] : "string";
      return [field, type === "string" ? "text" : type === "boolean" ? true : 5];
    }),
  );
}

/** The caller's answer to a form: what its fields say by default, and a simple value where they say nothing. */
async function answerForm({ params }: Question): Promise<Record<string, unknown>> {
  const { requestedSchema } = params;
  const properties = isJsonObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  const content = fields.map(([name, field]) => [
    name,
    isJsonObject(field) ? (field["default"] ?? (field["type"] === "boolean" ? true : "text")) : "text",
  ]);
  return { action: "accept", content: Object.fromEntries(content) };
}

interface ToolCalls {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

function readPrescribed(): Record<string, Record<string, unknown>> {
  const context: ToolCalls = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
  return Object.fromEntries((context.toolCalls ?? []).map((call) => [call.name, call.arguments]));
}

const connection = await connectMcp({
  url: process.argv.at(-1) ?? "",
  clientName: "pallas",
  clientVersion: "1.0.0",
  signal,
  connectTimeoutMs: 10_000,
  askable: { form: true, url: false, sampling: false },
});
try {
  for (const { name, inputSchema } of await connection.listTools(signal)) {
    schemas[name] = inputSchema;
    const result = await connection
      .callTool(name, renderArguments(name, inputSchema), { signal, idleTimeoutMs: 10_000, ask: answerForm })
      .catch((error: unknown) => error);
    process.stderr.write(`${name}: ${result instanceof Error ? result.message : JSON.stringify(result)}\n`);
  }
} finally {
  await connection.close();
}

// What a table of many tools costs whoever serves it: an MCP endpoint with that many, and nothing else. Started as
// `node mcp-table.js PORT COUNT`.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { serveMcp } from "../../../lib/mcp/serve.ts";
import { type JsonObjectSchema, staticTools, type ToolEntry } from "../../../lib/mcp/table.ts";
import { createLogger } from "../../../lib/process/log.ts";

const [port, count] = process.argv.slice(2).map(Number);

/** As large as schemas of published servers commonly are. */
const renderSchema = (at: number): JsonObjectSchema => ({
  type: "object",
  properties: {
    query: { type: "string", description: `What to look for in collection ${at}`, minLength: 1, maxLength: 500 },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    order: { type: "string", enum: ["relevance", "newest", "oldest"] },
    filter: {
      type: "object",
      properties: { author: { type: "string" }, since: { type: "string", format: "date-time" } },
      additionalProperties: false,
    },
  },
  required: ["query"],
  additionalProperties: false,
});

const renderTool = (at: number): ToolEntry => ({
  name: `collection_${at}__search`,
  description: `Searches collection ${at} and returns what was found, the most telling first.`,
  inputSchema: renderSchema(at),
  schemaOf: "stranger",
  call: async ({ query }) => ({ content: [{ type: "text", text: String(query) }] }),
});

const endpoint = serveMcp(
  {
    server: { name: "many-tools", version: "1.0.0" },
    tools: staticTools(Array.from({ length: count ?? 0 }, (_, at) => renderTool(at))),
    prompts: [],
  },
  {
    log: createLogger({ logger: "bench", level: "SILENT" }),
    bodyLimitBytes: 1_000_000,
    callers: "anyone",
    sessions: { idleTtlMs: 60_000, max: 100 },
  },
);

const answer = getRequestListener((request) => endpoint.app.fetch(request));
createServer((incoming, outgoing) => void answer(incoming, outgoing)).listen(port, "127.0.0.1");

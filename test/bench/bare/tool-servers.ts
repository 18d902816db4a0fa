// Many MCP servers in one process, each with its own path and tools, of which one says what it is sent: what gateways are
// given to register. Started as `node tool-servers.js PORT SERVERS TOOLS`; the first is at /0/mcp.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type McpEndpoint, serveMcp } from "../../../lib/mcp/serve.ts";
import { type JsonObjectSchema, staticTools, type ToolEntry } from "../../../lib/mcp/table.ts";
import { createLogger } from "../../../lib/process/log.ts";

const [port, servers = 0, tools = 0] = process.argv.slice(2).map(Number);
const log = createLogger({ logger: "bench", level: "SILENT" });

/** As published servers commonly have it. */
const inputSchema: JsonObjectSchema = {
  type: "object",
  properties: {
    message: { type: "string", description: "What to say", minLength: 1, maxLength: 500 },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    order: { type: "string", enum: ["relevance", "newest", "oldest"] },
  },
  required: ["message"],
};

const renderTool = (at: number): ToolEntry => ({
  name: at === 0 ? "echo" : `look_up_${at}`,
  description: `Looks up what is known of matter ${at} and returns it, the most telling first.`,
  inputSchema,
  call: async ({ message }) => ({ content: [{ type: "text", text: String(message) }] }),
});

const renderServer = (at: number): McpEndpoint =>
  serveMcp(
    {
      server: { name: `tools-${at}`, version: "1.0.0" },
      tools: staticTools(Array.from({ length: tools }, (_, tool) => renderTool(tool))),
      prompts: [],
    },
    { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions: { idleTtlMs: 600_000, max: 1_000 } },
  );

const app = new Hono();
for (let at = 0; at < servers; at += 1) app.route(`/${at}`, renderServer(at).app);
const answer = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
// Gateways keep their connections, and a turn of another can take longer than Node's five seconds.
server.keepAliveTimeout = 600_000;
server.listen(port, "127.0.0.1");

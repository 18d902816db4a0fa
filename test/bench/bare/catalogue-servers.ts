// The MCP servers of a catalogue in one process, each with its own path and tools that say what they are sent. Started as
// `node catalogue-servers.js PORT FILE`, with a file of { servers: [{ name, tools: [{ name, description, inputSchema }] }] };
// each is at /{name}/mcp.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { serveMcp } from "../../../lib/mcp/serve.ts";
import { staticTools } from "../../../lib/mcp/table.ts";
import { createLogger } from "../../../lib/process/log.ts";
import type { Catalogue } from "../found-tools.ts";

const [port = "0", file = ""] = process.argv.slice(2);
/** Written by the benchmark itself. */
const { servers }: Pick<Catalogue, "servers"> = JSON.parse(readFileSync(file, "utf8"));
const log = createLogger({ logger: "bench", level: "SILENT" });
const app = new Hono();
for (const { name, tools } of servers) {
  const entries = tools.map((tool) => ({
    ...tool,
    call: async (args: Record<string, unknown>) => ({
      content: [{ type: "text" as const, text: JSON.stringify(args) }],
    }),
  }));
  const table = { server: { name, version: "1.0.0" }, tools: staticTools(entries), prompts: [] };
  const limits = { bodyLimitBytes: 1_000_000, sessions: { idleTtlMs: 600_000, max: 1_000 } };
  app.route(`/${name}`, serveMcp(table, { log, callers: "anyone", ...limits }).app);
}
const answer = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
// Gateways keep their connections, and a turn of another can take longer than Node's five seconds.
server.keepAliveTimeout = 600_000;
server.listen(Number(port), "127.0.0.1");

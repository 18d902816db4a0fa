// What an MCP call of the 2025 era costs at least: the SDK's transport on node:http with one trivial tool and nothing of
// ours. Started as `node sdk-2025.js PORT`.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const known = sessions.get(String(request.headers["mcp-session-id"]));
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: "text" as const, text: String(params.arguments?.["message"]) }],
  }));
  await server.connect(transport);
  return transport.handleRequest(request, response);
}

createServer((request, response) => void serve(request, response)).listen(Number(process.argv[2]), "127.0.0.1");

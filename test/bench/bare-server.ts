// What an MCP call costs at least: servers with one trivial tool and nothing of ours. `echo` answers JSON by node:http
// alone; `2025` and `2026` are the SDK's transport of that era on node:http. Started as `node bare-server.ts KIND PORT`.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Server as Server2025 } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const info = { name: "bare", version: "1.0.0" };
const capabilities = { capabilities: { tools: {} } };
const callTool = async ({ params }: { params: { arguments?: Record<string, unknown> | undefined } }) => ({
  content: [{ type: "text" as const, text: String(params.arguments?.["message"]) }],
});

const listeners: Readonly<Record<string, () => RequestListener>> = {
  echo: () => (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (text += chunk));
    request.on("end", () => void answer(JSON.parse(text), response));
  },
  "2025": () => {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    return (request, response) => void serve2025(sessions, request, response);
  },
  "2026": () => {
    const handler = createMcpHandler(
      () => {
        const server = new Server(info, capabilities);
        server.setRequestHandler("tools/call", callTool);
        return server;
      },
      { legacy: "reject", responseMode: "auto" },
    );
    const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
    return (request, response) => void listener(request, response);
  },
};

async function answer(
  message: { id: unknown; params: Parameters<typeof callTool>[0]["params"] },
  response: ServerResponse,
) {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: await callTool(message) }));
}

async function serve2025(
  sessions: Map<string, StreamableHTTPServerTransport>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const known = sessions.get(String(request.headers["mcp-session-id"]));
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new Server2025(info, capabilities);
  server.setRequestHandler(CallToolRequestSchema, callTool);
  await server.connect(transport);
  return transport.handleRequest(request, response);
}

const [kind = "", port] = process.argv.slice(2);
const listener = listeners[kind];
if (listener === undefined) throw new Error(`expected one of ${Object.keys(listeners).join(", ")}, found "${kind}"`);
createServer(listener()).listen(Number(port), "127.0.0.1");

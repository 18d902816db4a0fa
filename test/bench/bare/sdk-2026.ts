// What an MCP call of the 2026 era costs at least: the SDK's handler on node:http with one trivial tool and nothing of
// ours. Started as `node sdk-2026.js PORT`.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const handler = createMcpHandler(
  () => {
    const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", ({ params }) => ({
      content: [{ type: "text" as const, text: String(params.arguments?.["message"]) }],
    }));
    return server;
  },
  { legacy: "reject", responseMode: "auto" },
);
const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
createServer((request, response) => void listener(request, response)).listen(Number(process.argv[2]), "127.0.0.1");

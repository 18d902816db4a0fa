// A server that speaks stdio as its SDK makes it, with one tool that answers what it is sent: what bridges are measured with.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool("echo", { description: "Says it again.", inputSchema: { message: z.string() } }, ({ message }) => ({
  content: [{ type: "text", text: message }],
}));
await server.connect(new StdioServerTransport());

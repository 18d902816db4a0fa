// A tool server with one tool, whose answers are as long as one asks for.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const lineChars = 100;
const server = new McpServer({ name: "ledger", version: "1.0.0" });

server.registerTool(
  "read_ledger",
  {
    description: "Read the ledger, of so many bytes.",
    annotations: { readOnlyHint: true },
    inputSchema: { bytes: z.int().min(1_000).max(10_000_000) },
  },
  ({ bytes }) => {
    const count = Math.floor(bytes / lineChars) - 1;
    const lines = Array.from({ length: count }, (_, index) => `booking ${index} `.padEnd(lineChars - 1, "."));
    return { content: [{ type: "text", text: `${lines.join("\n")}\nthe very end` }] };
  },
);
await server.connect(new StdioServerTransport());

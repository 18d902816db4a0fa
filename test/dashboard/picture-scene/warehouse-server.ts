// The tool server `warehouse` of the scene that the documentation shows.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const server = new McpServer({ name: "warehouse", version: "1.0.0" });

server.registerTool(
  "run_query",
  {
    description: "Run a query on the data warehouse.",
    annotations: { readOnlyHint: true },
    inputSchema: { sql: z.string() },
  },
  () => ({ content: [{ type: "text", text: "2 rows" }] }),
);
await server.connect(new StdioServerTransport());

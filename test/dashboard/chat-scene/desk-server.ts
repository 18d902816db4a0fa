// A tool server that asks the person at the other end of the chain for a form.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "desk", version: "1.0.0" });

server.registerTool(
  "read_form",
  { description: "Have the person fill in a form.", annotations: { readOnlyHint: true }, inputSchema: {} },
  async () => {
    const answer = await server.server.elicitInput({
      message: "Which account?",
      requestedSchema: {
        type: "object",
        properties: {
          account: { type: "string", minLength: 3 },
          amount: { type: "integer", minimum: 1 },
          urgent: { type: "boolean" },
        },
        required: ["account", "amount"],
      },
    });
    return { content: [{ type: "text" as const, text: `filled in: ${JSON.stringify(answer)}` }] };
  },
);
await server.connect(new StdioServerTransport());

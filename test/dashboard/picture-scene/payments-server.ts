// The tool server `payments` of the scene that the documentation shows.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const server = new McpServer({ name: "payments", version: "1.0.0" });

server.registerTool(
  "read_invoice",
  {
    description: "Read an invoice as structured data: supplier, lines, total, bank details.",
    annotations: { readOnlyHint: true },
    inputSchema: { id: z.string() },
  },
  ({ id }) => text(`${id}: Nordwind Logistik GmbH, freight in October, net 1546.22, VAT 293.78, total 1840.00 EUR`),
);
server.registerTool(
  "list_recipients",
  {
    description: "Recipients with their bank details, and since when they hold.",
    annotations: { readOnlyHint: true },
    inputSchema: { name: z.string() },
  },
  () => text("Nordwind Logistik GmbH: DE02120300000000202051 since 12 November"),
);
server.registerTool(
  "create_transfer",
  {
    description: "Create a SEPA transfer. Executed on the given day; cannot be recalled after 16:00.",
    annotations: { readOnlyHint: false, destructiveHint: false },
    inputSchema: {
      amount: z.number().min(0.01).max(100_000).describe("In euro"),
      iban: z.string(),
      recipient: z.string(),
      reference: z.string(),
    },
  },
  ({ amount, recipient }) => text(`transferred ${amount} to ${recipient}`),
);
await server.connect(new StdioServerTransport());

// The tool server of the scene: tools that are read, asked for, denied, slow, and one that fails; a resource and a prompt.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const stepMs = 200;
/** How many were made. */
let transfers = 0;
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const server = new McpServer({ name: "payments", version: "1.0.0" });

server.registerTool(
  "create_transfer",
  {
    title: "Create a transfer",
    description: "Create a SEPA transfer. Executed on the given day; cannot be recalled after 16:00.",
    inputSchema: {
      amount: z.number().min(0.01).max(100_000).describe("In euro"),
      iban: z.string().min(15).max(34),
      recipient: z.string(),
      reference: z.string().optional(),
      card: z.string().optional(),
    },
  },
  ({ amount, iban }) => text(`transferred ${amount} to ${iban}, as number ${(transfers += 1)}`),
);
server.registerTool(
  "count_coins",
  {
    description: "Count coins, step by step.",
    annotations: { readOnlyHint: true },
    inputSchema: { steps: z.int().min(1).max(20) },
  },
  async ({ steps }, { _meta, sendNotification }) => {
    for (let progress = 1; progress <= steps; progress += 1) {
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      const progressToken = _meta?.progressToken;
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: steps, message: `coin ${progress} of ${steps}` };
      await sendNotification({ method: "notifications/progress", params });
    }
    return text(`${steps} coins`);
  },
);
server.registerTool(
  "read_invoice",
  {
    description: "Read an invoice as structured data: supplier, lines, total, bank details.",
    annotations: { readOnlyHint: true },
    inputSchema: { id: z.string() },
  },
  ({ id }) => text(`Invoice ${id}: Nordwind Logistik, total 1840.00 EUR`),
);
server.registerTool(
  "drop_ledger",
  { description: "Delete the whole ledger.", annotations: { destructiveHint: true }, inputSchema: {} },
  () => text("gone"),
);
server.registerTool("list_failures", { description: "Always fails.", inputSchema: {} }, () => ({
  ...text("the bank is closed"),
  isError: true,
}));
server.registerResource(
  "rates",
  "bank://rates",
  { description: "Exchange rates", mimeType: "application/json" },
  (uri) => ({ contents: [{ uri: uri.href, mimeType: "application/json", text: '{"EUR":1,"CHF":0.94}' }] }),
);
server.registerPrompt(
  "remind",
  { description: "A reminder to a debtor", argsSchema: { name: z.string() } },
  ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Write a friendly reminder to ${name}.` } }],
  }),
);
await server.connect(new StdioServerTransport());

// An MCP server of the 2025 era on standard streams, without a dependency, as a text: tests write it to a file that is started. It notes
// the calls that reach it, a line each, in the file that is its argument.
import { readFile } from "node:fs/promises";

export interface PaidCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

export const bankServer = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: { amount: { type: "number" }, card: { type: "string" } }, required: ["amount"] };
const tools = [
  { name: "pay", description: "Pays an amount.", inputSchema, annotations: { destructiveHint: true } },
  { name: "balance", description: "Says what is left.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];
const call = ({ name, arguments: args = {} }) => {
  appendFileSync(process.argv[2], JSON.stringify({ tool: name, args }) + "\\n");
  return { content: [{ type: "text", text: name === "pay" ? "paid " + args.amount : "nothing is left" }] };
};
const answer = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "bank", version: "1.0.0" } }),
  "tools/list": () => ({ tools }),
  "tools/call": call,
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answer[method]?.(params ?? {});
  const rest = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n");
});
`;

/** The calls that reached it, oldest first. */
export async function readPaid(journal: string): Promise<PaidCall[]> {
  const text = await readFile(journal, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

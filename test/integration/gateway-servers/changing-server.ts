// An MCP server of the 2025 era on standard streams, run as a program of its own, whose one tool is described by a file: it reads it
// anew for each list and says when it changed, so that a test can change what the server says of itself while it runs.
import { readFileSync, watch } from "node:fs";
import { createInterface } from "node:readline";

interface Request {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: unknown };
}

const [descriptionPath = ""] = process.argv.slice(2);

function answer({ method, params = {} }: Request): object | undefined {
  if (method === "initialize") {
    const serverInfo = { name: "changing-server", version: "1.0.0" };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo };
  }
  if (method === "tools/list") {
    const description = readFileSync(descriptionPath, "utf8");
    return { tools: [{ name: "echo", description, inputSchema: { type: "object" } }] };
  }
  if (method === "tools/call") return { content: [{ type: "text", text: JSON.stringify(params.arguments) }] };
  return method === "ping" ? {} : undefined;
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

watch(descriptionPath, { persistent: false }, () => send({ method: "notifications/tools/list_changed" }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const request: Request = JSON.parse(line);
  if (request.id === undefined) return;
  const result = answer(request);
  const rest = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  send({ id: request.id, ...rest });
});

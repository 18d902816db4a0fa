// An MCP server of the 2025 era on standard streams, without a dependency, as a text: tests write it beside their manifests. Its tools
// say what is in its environment, and how it is.
export const stdioServer = `
import { createInterface } from "node:readline";
const tools = {
  variable: ({ name }) => process.env[name] ?? "not set",
  variables: () => Object.keys(process.env).sort().join(" "),
  place: () => process.cwd(),
  pid: () => String(process.pid),
};
const answer = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "stdio-server", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
  }),
  "tools/call": ({ name, arguments: given }) => ({ content: [{ type: "text", text: tools[name](given ?? {}) }] }),
  ping: () => ({}),
};
console.error("started with", process.argv.slice(2).join(" "));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answer[method]?.(params ?? {});
  const rest = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n");
});
`;

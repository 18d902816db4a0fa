// Which of what goes through to an agent is counted as a message, with clients of both eras.
import { describe, expect, onTestFinished, test } from "vitest";
import { Hono } from "hono";
import { nameGatewayCaller } from "../../lib/auth/gateway-caller.ts";
import { serveMcp, type McpVariables } from "../../lib/mcp/serve.ts";
import { staticTools, type ToolEntry } from "../../lib/mcp/table.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { toolClients } from "../testing/tool-clients.ts";
import { startProxy } from "./proxy.fixture.ts";

const text = (words: string, isError = false) => ({ content: [{ type: "text" as const, text: words }], isError });
const inputSchema = { type: "object" as const };
const tools: ToolEntry[] = [
  {
    name: "send_message",
    description: "Sends a message.",
    inputSchema,
    async call({ message }) {
      if (message === "fail") return text("the model failed", true);
      return text(message === "quote" ? '{"isError":true}' : "answer");
    },
  },
  { name: "get_health", description: "Health.", inputSchema, call: async () => text("ok") },
];

async function start() {
  const log = createLogger({ logger: "test", level: "SILENT" });
  const sessions = { idleTtlMs: 60_000, max: 100 };
  const table = { server: { name: "clerk", version: "1" }, tools: staticTools(tools), prompts: [] };
  const endpoint = serveMcp(table, { log, bodyLimitBytes: 1_000_000, callers: "either", sessions });
  const app = new Hono<McpVariables>();
  app.use(nameGatewayCaller);
  app.route("/", endpoint.app);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const counted: unknown[] = [];
  const proxy = await startProxy(
    { mcpUrl: `${server.url}/mcp`, adminUrl: server.url },
    { maxBodyBytes: 1_000_000, onMessage: (message) => void counted.push(message) },
  );
  const stopAgent = async () => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  onTestFinished(async () => {
    await proxy.stop();
    await stopAgent();
  });
  return { url: `${proxy.url}/proxy/clerk/mcp`, counted, stopAgent };
}

describe.each(toolClients)("DSC-11 a message through the proxy, by a client of the $era era", ({ connect }) => {
  test("is counted with how it ended, and nothing else is", async () => {
    const { url, counted, stopAgent } = await start();
    const client = await connect(url, { "x-caller": "ann" });
    onTestFinished(() => client.close());
    await client.list();
    await client.call("get_health", {});
    expect(counted).toEqual([]);
    for (const message of ["hello", "quote", "x".repeat(100_000)]) await client.call("send_message", { message });
    expect(counted.splice(0)).toEqual(Array.from({ length: 3 }, () => ({ agent: "clerk", success: true })));
    await client.call("send_message", { message: "fail" });
    expect(counted.splice(0)).toEqual([{ agent: "clerk", success: false }]);
    await stopAgent();
    await client.call("send_message", { message: "hello" }).catch(() => undefined);
    expect(counted).toContainEqual({ agent: "clerk", success: false });
  });
});

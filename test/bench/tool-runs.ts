// What an agent needs for runs with tool calls: a trivial tool server in this process, and a configuration that leads to it and to
// the model mock.
import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { ScriptedReply } from "../models/script.ts";
import { sentText } from "./mcp-load.ts";

/** Model calls with tool calls in each run; one more has the answer. */
export const steps = 10;
/** Made side by side in each step. */
export const callsAStep = 2;

const query = { query: "small servers", limit: 5 };

/** What the mock says to its request of this index, of runs one after another. */
export function scriptRuns(index: number, more: Readonly<Record<string, unknown>> = {}): ScriptedReply {
  if (index % (steps + 1) === steps) return { text: sentText };
  const call = { name: "tools__look_up", arguments: { ...query, ...more } };
  return { toolCalls: Array.from({ length: callsAStep }, () => call) };
}

/** @param onAnswered hears of each request of its that is over, in milliseconds of `performance.now()` */
export async function startToolServer(onAnswered: (startMs: number, endMs: number) => void = () => undefined) {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "tools", version: "1.0.0" }, { capabilities: { tools: {} } });
    const properties = { query: { type: "string" }, limit: { type: "integer" } };
    const inputSchema = { type: "object" as const, properties, required: ["query"] };
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "look_up", description: "Looks up.", inputSchema }],
    }));
    server.setRequestHandler("tools/call", () => ({
      content: [{ type: "text" as const, text: "Nothing was found." }],
    }));
    return server;
  });
  const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    const startMs = performance.now();
    response.once("close", () => onAnswered(startMs, performance.now()));
    void listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("expected the tool server to have a port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function renderRunConfig(modelUrl: string, toolsUrl: string): Partial<RunConfig> {
  const [model] = renderTestConfig().models;
  const provider = { name: "mock", kind: "openai-compatible", baseUrl: modelUrl } as const;
  return {
    ...(model && { models: [{ ...model, ref: "mock.model", provider: "mock", name: "model" }] }),
    providers: [{ ...provider, headers: [], requireListedModel: false, forwardInboundAuth: false }],
    servers: [renderTestServer("tools", toolsUrl)],
  };
}

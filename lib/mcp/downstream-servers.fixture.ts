// Servers of one era alone, made with the SDKs, whose answers a test may replace; every request they saw is kept.
import { Server as Server2025 } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveOnLoopback, type ServedApp } from "./endpoint.fixture.ts";

export const answer = { content: [{ type: "text" as const, text: "ok" }] };
export const listed = { tools: [{ name: "only", inputSchema: { type: "object" as const } }] };

interface Hooks {
  /** Answers in place of the server; undefined lets the server answer. */
  answerInstead?: (request: Request) => Response | Promise<Response> | undefined;
}

/** A server of the first SDK alone, with one session at most. */
export async function startServer2025(seen: Request[] = []) {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => "only-session" });
  const server = new Server2025({ name: "old", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(ListToolsRequestSchema, () => listed);
  server.setRequestHandler(CallToolRequestSchema, () => answer);
  await server.connect(transport);
  const hooks: Hooks = {};
  const app: ServedApp = await serveOnLoopback((request) => {
    seen.push(request);
    return hooks.answerInstead?.(request) ?? transport.handleRequest(request);
  });
  return Object.assign(hooks, app, { server, transport });
}

export async function startServer2026(seen: Request[] = []) {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "new", version: "1" }, { capabilities: { tools: { listChanged: true } } });
      server.setRequestHandler("tools/list", () => listed);
      server.setRequestHandler("tools/call", () => answer);
      return server;
    },
    { legacy: "reject" },
  );
  const hooks: Hooks = {};
  const app: ServedApp = await serveOnLoopback((request) => {
    seen.push(request);
    return hooks.answerInstead?.(request) ?? handler.fetch(request);
  });
  return Object.assign(hooks, app, { handler });
}

/**
 * The 2026 era of an endpoint: a fresh server of the second SDK for each request, no state between requests (AGT-6).
 * Answers are always event streams: keep-alive comments then carry long silent calls past the header timeouts of proxies
 * and clients, which a JSON answer that is still to come would not survive. Closing the stream cancels the call.
 */
import { createMcpHandler, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Logger } from "../process/log.ts";
import type { Dispatcher, Inbound } from "./dispatch.ts";
import type { Leg } from "./serve-2025.ts";
import type { McpTable } from "./table.ts";
import { renderCapabilities, renderToolResult } from "./wire-results.ts";

/** The 2026 era of `table`. Requests of the 2025 era are refused with -32022: they belong to the other leg. */
export function createStreamLeg(table: McpTable, dispatcher: Dispatcher, log: Logger): Leg {
  const handler = createMcpHandler(() => openServer(table, dispatcher), {
    legacy: "reject",
    responseMode: "sse",
    // What the SDK reports here has already been answered.
    onerror: (error) => log.debug({ err: error }, "mcp handler reported an error"),
  });
  return {
    handle: (request, message) => handler.fetch(request, { parsedBody: message }),
    sessionCount: () => 0,
    close: () => handler.close(),
  };
}

function openServer(table: McpTable, dispatcher: Dispatcher): Server {
  const server = new Server(table.server, {
    capabilities: renderCapabilities(table),
    ...(table.instructions !== undefined && { instructions: table.instructions }),
  });
  server.setRequestHandler("tools/list", () => ({ tools: dispatcher.tools }));
  server.setRequestHandler("tools/call", async ({ params }, context) =>
    renderToolResult(await dispatcher.callTool(params.name, params.arguments ?? {}, renderInbound(context))),
  );
  if (table.prompts.length > 0) {
    server.setRequestHandler("prompts/list", () => ({ prompts: dispatcher.prompts }));
    server.setRequestHandler("prompts/get", async ({ params }, context) => ({
      ...(await dispatcher.getPrompt(params.name, params.arguments ?? {}, renderInbound(context))),
    }));
  }
  return server;
}

function renderInbound({ mcpReq, http }: ServerContext): Inbound {
  return {
    era: "2026",
    requestId: mcpReq.id,
    signal: mcpReq.signal,
    authorization: http?.req?.headers.get("authorization"),
    meta: mcpReq._meta,
    notifyProgress: (params) => mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
  };
}

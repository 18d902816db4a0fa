/**
 * The 2026 era of an endpoint: a fresh server of the second SDK for each request, no state between requests (AGT-6).
 * An answer that comes at once is plain JSON; one that takes longer is an event stream with keep-alive comments, whose
 * closing cancels the call.
 */
import {
  type CallToolRequestParams,
  createMcpHandler,
  type GetPromptRequestParams,
  isLegacyRequest,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Logger } from "../process/log.ts";
import { parseAuthInfo, renderAuthInfo } from "./caller.ts";
import type { Dispatcher, Inbound } from "./dispatch.ts";
import type { McpExtension } from "./extension.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { Leg } from "./serve-2025.ts";
import { streamWhenLate } from "./late-stream.ts";
import type { McpTable } from "./table.ts";
import { renderCapabilities, renderToolResult } from "./wire-results.ts";

/** Well below any header timeout; what answers sooner needs no stream. */
const patienceMs = 1_000;
const keepAliveMs = 15_000;

interface Parts2026 {
  table: McpTable;
  dispatcher: Dispatcher;
  log: Logger;
  extension: McpExtension | undefined;
}

export interface StreamLeg extends Leg {
  /** Whether a request belongs to the other leg. */
  isOf2025(inbound: InboundRequest): Promise<boolean>;
}

/** The 2026 era of a table. Requests of the 2025 era are refused with -32022: they belong to the other leg. */
export function createStreamLeg(parts: Parts2026): StreamLeg {
  const { log } = parts;
  const handler = createMcpHandler(() => openServer(parts), {
    legacy: "reject",
    responseMode: "auto",
    // What the SDK reports here has already been answered.
    onerror: (error) => log.debug({ err: error }, "mcp handler reported an error"),
  });
  return {
    isOf2025: ({ request, message }) => isLegacyRequest(request, message),
    handle: ({ request, message, caller }) => {
      const pending = handler.fetch(request, { parsedBody: message, authInfo: renderAuthInfo(caller) });
      return streamWhenLate(pending, { patienceMs, keepAliveMs });
    },
    // Dropping a response has cancelled its call.
    afterCall: (_inbound, onEnd) => onEnd(),
    sessionCount: () => 0,
    close: () => handler.close(),
  };
}

function openServer({ table, dispatcher, extension }: Parts2026): Server {
  const server = new Server(table.server, {
    capabilities: renderCapabilities(table),
    ...(table.instructions !== undefined && { instructions: table.instructions }),
  });
  server.setRequestHandler("tools/list", () => ({ tools: dispatcher.tools }));
  const callTool = async ({ params }: { params: CallToolRequestParams }, context: ServerContext) =>
    renderToolResult(await dispatcher.callTool(params.name, params.arguments ?? {}, renderInbound(context)));
  server.setRequestHandler("tools/call", callTool);
  const getPrompt = async ({ params }: { params: GetPromptRequestParams }, context: ServerContext) => ({
    ...(await dispatcher.getPrompt(params.name, params.arguments ?? {}, renderInbound(context))),
  });
  if (table.prompts.length > 0) {
    server.setRequestHandler("prompts/list", () => ({ prompts: dispatcher.prompts }));
    server.setRequestHandler("prompts/get", getPrompt);
  }
  extension?.extend2026(server, { callTool, getPrompt });
  return server;
}

function renderInbound({ mcpReq, http }: ServerContext): Inbound {
  return {
    era: "2026",
    requestId: mcpReq.id,
    signal: mcpReq.signal,
    authorization: http?.req?.headers.get("authorization"),
    caller: parseAuthInfo(http?.authInfo),
    meta: mcpReq._meta,
    readHeader: (name) => http?.req?.headers.get(name),
    notifyProgress: (params) => mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
  };
}

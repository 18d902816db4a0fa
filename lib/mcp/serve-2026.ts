// The 2026 era of an endpoint: a fresh server of the second SDK for each request, no state between requests (AGT-6).
// An answer that comes at once is plain JSON; one that takes longer is an event stream with keep-alive comments, whose
// closing cancels the call.
import {
  type CallToolRequestParams,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type GetPromptRequestParams,
  inputRequired,
  type InputRequest,
  type InputRequiredResult,
  isLegacyRequest,
  isSpecType,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Clock } from "../process/clock.ts";
import { defined } from "../process/defined.ts";
import type { Logger } from "../process/log.ts";
import { readAskable, type Question } from "./asking.ts";
import { parseAuthInfo, renderAuthInfo } from "./caller.ts";
import type { Dispatcher, Inbound } from "./dispatch.ts";
import type { McpExtension } from "./extension.ts";
import type { InboundRequest } from "./inbound-request.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { unusedValidator } from "./sdk-validator.ts";
import { createSuspendedCalls, type Outcome, type SuspendedCalls } from "./suspended-calls.ts";
import { listenMethod } from "./era.ts";
import { createListening } from "./listen-2026.ts";
import type { SubscriptionHub } from "./subscription-hub.ts";
import type { Leg } from "./serve-2025.ts";
import { streamWhenLate } from "./late-stream.ts";
import type { McpTable, Requester } from "./table.ts";
import { renderCapabilities, renderToolResult } from "./wire-results.ts";

/** Well below any header timeout; what answers sooner needs no stream. */
const patienceMs = 1_000;
const keepAliveMs = 15_000;
const suspensionLimits = { max: 256, ttlMs: 300_000 };

interface Parts2026 {
  table: McpTable;
  dispatcher: Dispatcher;
  log: Logger;
  clock: Clock;
  /** Whether a caller's next request comes to this process too; else calls cannot wait here for answers. */
  isAlone: () => Promise<boolean>;
  extension: McpExtension | undefined;
  /** Absent where nothing of the table ever changes. */
  hub: SubscriptionHub | undefined;
}

export interface StreamLeg extends Leg {
  /** Whether a request belongs to the other leg. */
  isOf2025(inbound: InboundRequest): Promise<boolean>;
}

/** The 2026 era of a table. Requests of the 2025 era are refused with -32022: they belong to the other leg. */
export function createStreamLeg(parts: Parts2026): StreamLeg {
  const { log, table, dispatcher, hub, clock } = parts;
  const suspended = createSuspendedCalls(suspensionLimits, clock);
  const { resources } = dispatcher;
  const listening = hub && createListening({ server: table.server, hub, resources, clock });
  const handler = createMcpHandler(() => openServer(parts, suspended), {
    legacy: "reject",
    responseMode: "auto",
    // What the SDK reports here has already been answered.
    onerror: (error) => log.debug({ err: error }, "mcp handler reported an error"),
  });
  return {
    isOf2025: ({ request, message }) => isLegacyRequest(request, message),
    handle: (inbound) => {
      const { request, message, caller } = inbound;
      const pending = handler.fetch(request, { parsedBody: message, authInfo: renderAuthInfo(caller) });
      return listening !== undefined && message?.["method"] === listenMethod
        ? pending.then((judged) => listening.takeOver(judged, inbound))
        : streamWhenLate(pending, { patienceMs, keepAliveMs });
    },
    // Dropping a response has cancelled its call.
    afterCall: (_inbound, onEnd) => onEnd(),
    sessionCount: () => 0,
    async close() {
      suspended.close();
      listening?.close();
      await handler.close();
    },
  };
}

function openServer(parts: Parts2026, suspended: SuspendedCalls): Server {
  const { table, dispatcher, extension, hub } = parts;
  const server = new Server(table.server, {
    capabilities: renderCapabilities(table, hub !== undefined),
    jsonSchemaValidator: unusedValidator,
    ...defined({ instructions: table.instructions }),
  });
  server.setRequestHandler("tools/list", ({ params }, context) =>
    dispatcher.listTools(params?.cursor, renderRequester(context)),
  );
  const callTool = async ({ params }: { params: CallToolRequestParams }, context: ServerContext) =>
    renderOutcome(await runCall(params, context, parts, suspended));
  server.setRequestHandler("tools/call", callTool);
  const getPrompt = async ({ params }: { params: GetPromptRequestParams }, context: ServerContext) => ({
    ...(await dispatcher.getPrompt(params.name, params.arguments ?? {}, renderInbound(context))),
  });
  if (table.prompts.length > 0) {
    server.setRequestHandler("prompts/list", () => ({ prompts: dispatcher.prompts }));
    server.setRequestHandler("prompts/get", getPrompt);
  }
  const { resources } = dispatcher;
  if (resources !== undefined) {
    server.setRequestHandler("resources/list", ({ params }, context) =>
      resources.list(params?.cursor, renderRequester(context)),
    );
    server.setRequestHandler("resources/templates/list", ({ params }, context) =>
      resources.listTemplates(params?.cursor, renderRequester(context)),
    );
    server.setRequestHandler("resources/read", ({ params }, context) =>
      resources.read(params.uri, renderInbound(context)),
    );
  }
  extension?.extend2026(server, { callTool, getPrompt });
  return server;
}

/** Begins a call, or goes on with one that asked its caller. */
async function runCall(
  { name, arguments: args = {} }: CallToolRequestParams,
  context: ServerContext,
  { dispatcher, isAlone }: Parts2026,
  suspended: SuspendedCalls,
): Promise<Outcome> {
  const inbound = renderInbound(context);
  const { caller, signal, meta = {}, notifyProgress } = inbound;
  const on = { caller, signal, progressToken: meta["progressToken"], notifyProgress };
  const { mcpReq } = context;
  const state = mcpReq.requestState();
  if (typeof state === "string") return await suspended.resume(state, mcpReq.inputResponses ?? {}, on);
  const envelope: unknown = mcpReq.envelope;
  const can = readAskable(isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined);
  if ((can.form || can.url || can.sampling) && (await isAlone())) {
    return await suspended.begin(can, (own) => dispatcher.callTool(name, args, { ...inbound, ...own }), on);
  }
  return { result: await dispatcher.callTool(name, args, inbound) };
}

function renderOutcome(outcome: Outcome): CallToolResult | InputRequiredResult {
  if ("result" in outcome) return renderToolResult(outcome.result);
  const inputRequests = Object.fromEntries(
    Object.entries(outcome.questions).map(([key, question]) => [key, parseInputRequest(question)]),
  );
  return inputRequired({ inputRequests, requestState: outcome.state });
}

/** The SDK's form of a question. Throws JsonRpcError when it is none. */
function parseInputRequest({ method, params }: Question): InputRequest {
  const request = { method, params };
  if (isSpecType.ElicitRequest(request) || isSpecType.CreateMessageRequest(request)) return request;
  throw new JsonRpcError(rpcCodes.internalError, `the question ${method} has not the form that MCP asks for`);
}

const renderRequester = ({ http }: ServerContext): Requester => ({ caller: parseAuthInfo(http?.authInfo) });

function renderInbound(context: ServerContext): Inbound {
  const { mcpReq, http } = context;
  return {
    era: "2026",
    requestId: mcpReq.id,
    signal: mcpReq.signal,
    authorization: http?.req?.headers.get("authorization"),
    ...renderRequester(context),
    meta: mcpReq._meta,
    readHeader: (name) => http?.req?.headers.get(name),
    notifyProgress: (params) => mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
  };
}

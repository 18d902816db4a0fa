// One server of the 2025 era: the first SDK's low-level Server on a fetch transport, answering from a dispatcher.
// It knows the running calls of its connection, so that any request id (0 too) can be cancelled and none is used twice at a time.
// A cancelled call's stream is closed without an answer; the SDK alone would leave it open.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  CancelledNotificationSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { defined } from "../process/defined.ts";
import type { Logger } from "../process/log.ts";
import { renderAsking } from "./ask-2025.ts";
import { parseAuthInfo, renderAuthInfo } from "./caller.ts";
import type { Dispatcher, Inbound } from "./dispatch.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { SessionEvents } from "./event-buffer.ts";
import type { Extra2025, McpExtension } from "./extension.ts";
import { createRunningCalls } from "./running-calls.ts";
import { unknownResource } from "./resource-calls.ts";
import type { ChangeNotification } from "./subscriber.ts";
import { unusedValidator } from "./sdk-validator.ts";
import type { McpTable, Requester } from "./table.ts";
import { renderCapabilities, renderToolResult } from "./wire-results.ts";

export interface Parts2025 {
  table: McpTable;
  dispatcher: Dispatcher;
  log: Logger;
  extension: McpExtension | undefined;
}

/** When a client whose stream broke should come back. */
const retryIntervalMs = 1_000;

interface TransportOptions2025 {
  /** Absent: no sessions, and the server serves one single request. */
  sessionId?: string;
  /** Makes the session's streams resumable. */
  events?: SessionEvents;
  onInitialized?: () => void;
  /** Whom the session's subscriptions are told to; absent where nothing changes, and without a session. */
  subscriptions?: Subscriptions2025 | undefined;
  onClosed: () => void;
  onCallEnd?: () => void;
}

export interface Subscriptions2025 {
  /** False when the requester may not read it. Throws a JsonRpcError when it is one too many. */
  subscribe(uri: string): boolean;
  unsubscribe(uri: string): void;
}

export interface Server2025 {
  /** Makes a new server take the requests of a session that another one has initialized, in `protocolVersion` if it knows it. */
  resume(protocolVersion: string): Promise<void>;
  handle(inbound: InboundRequest): Promise<Response>;
  /** Sends on the session's GET stream; dropped when there is none. */
  notify(notification: ChangeNotification): void;
  isCalling(): boolean;
  /** True when a call with this id is running. */
  isInFlight(id: unknown): boolean;
  /** Runs `onEnd` when the call with this id is over; at once when none is running. */
  afterCall(id: unknown, onEnd: () => void): void;
  close(): Promise<void>;
}

/** Builds a connected server. The caller closes it, or the client does with DELETE; either way `onClosed` is called once. */
export async function openServer2025(parts: Parts2025, options: TransportOptions2025): Promise<Server2025> {
  const { table, dispatcher, log } = parts;
  const { sessionId, events, onInitialized, subscriptions } = options;
  const transport = new WebStandardStreamableHTTPServerTransport({
    ...(sessionId !== undefined && { sessionIdGenerator: () => sessionId }),
    ...defined({ onsessioninitialized: onInitialized }),
    ...(events !== undefined && { eventStore: withoutChanges(events), retryInterval: retryIntervalMs }),
  });
  const server = new Server(table.server, {
    capabilities: renderCapabilities(table, subscriptions !== undefined),
    jsonSchemaValidator: unusedValidator,
    ...defined({ instructions: table.instructions }),
  });
  const calls = createRunningCalls(() => options.onCallEnd?.());
  const runCall = <T>(extra: Extra2025, run: (inbound: Inbound) => Promise<T>): Promise<T> =>
    calls.run(extra.requestId, (cancelled) => {
      const asking = renderAsking(server.getClientCapabilities(), extra, sessionId);
      return run({ ...renderInbound(extra, sessionId, AbortSignal.any([extra.signal, cancelled])), asking });
    });

  const requesterOf = (extra: Extra2025): Requester => renderRequester(extra, sessionId);
  server.setRequestHandler(ListToolsRequestSchema, ({ params }, extra) =>
    dispatcher.listTools(params?.cursor, requesterOf(extra)),
  );
  const callTool = async ({ params }: CallToolRequest, extra: Extra2025) =>
    renderToolResult(
      await runCall(extra, (inbound) => dispatcher.callTool(params.name, params.arguments ?? {}, inbound)),
    );
  server.setRequestHandler(CallToolRequestSchema, callTool);
  if (table.prompts.length > 0) {
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: dispatcher.prompts }));
    server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => ({
      ...(await runCall(extra, (inbound) => dispatcher.getPrompt(params.name, params.arguments ?? {}, inbound))),
    }));
  }
  if (dispatcher.resources !== undefined) {
    addResources(server, { resources: dispatcher.resources, requesterOf, subscriptions, run: runCall });
  }
  server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
    const { requestId, reason } = params;
    if (requestId === undefined) return;
    const text = `the caller cancelled the call${reason === undefined ? "" : `: ${reason}`}`;
    if (calls.cancel(requestId, new Error(text))) transport.closeSSEStream(requestId);
  });
  parts.extension?.extend2025(server, callTool);
  // What the SDK reports here: refused requests (already answered) and results whose client has gone.
  server.onerror = (error) => log.debug({ err: error }, "mcp transport reported an error");
  server.onclose = () => {
    events?.drop();
    options.onClosed();
  };
  await server.connect(transport);
  const logUnsent = (error: unknown) => log.debug({ err: error }, "change could not be sent");
  return {
    async resume(protocolVersion) {
      const { request, parsedBody } = renderResumption(protocolVersion);
      const response = await transport.handleRequest(request, { parsedBody });
      await response.text();
      if (!response.ok) throw new Error(`the session could not be resumed: its initialize got ${response.status}`);
    },
    handle: ({ request, message, caller }) =>
      transport.handleRequest(request, { parsedBody: message, authInfo: renderAuthInfo(caller) }),
    notify: (notification) => void server.notification(notification).catch(logUnsent),
    isCalling: () => calls.count() > 0,
    isInFlight: calls.has,
    afterCall: calls.afterCall,
    close: () => server.close(),
  };
}

interface ResourceParts {
  resources: NonNullable<Dispatcher["resources"]>;
  requesterOf: (extra: Extra2025) => Requester;
  subscriptions: Subscriptions2025 | undefined;
  run: <T>(extra: Extra2025, run: (inbound: Inbound) => Promise<T>) => Promise<T>;
}

function addResources(server: Server, { resources, requesterOf, subscriptions, run }: ResourceParts): void {
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    resources.list(params?.cursor, requesterOf(extra)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }, extra) =>
    resources.listTemplates(params?.cursor, requesterOf(extra)),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    run(extra, (inbound) => resources.read(params.uri, inbound)),
  );
  if (subscriptions === undefined) return;
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }, extra) =>
    run(extra, async (inbound) => {
      const isPermitted = await resources.maySubscribe(uri, { ...inbound, meta: inbound.meta ?? {} });
      if (!isPermitted || !subscriptions.subscribe(uri)) throw unknownResource(uri, "2025");
      return {};
    }),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri);
    return {};
  });
}

/** News of changes is not kept for later: who comes back is told anew of all that may have changed. It goes without an id. */
const withoutChanges = (events: SessionEvents): SessionEvents => ({
  ...events,
  storeEvent: async (streamId, message) => (isChange(message) ? "" : await events.storeEvent(streamId, message)),
});

const isChange = (message: object): boolean =>
  "method" in message && /^notifications\/(resources\/updated|\w+\/list_changed)$/.test(String(message.method));

/** The transport has no other way in: it answers an initialize that nobody sent, and nobody reads the answer. */
function renderResumption(protocolVersion: string) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "resumed", version: "0" } };
  const headers = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
  return {
    request: new Request("http://resume.invalid/mcp", { method: "POST", headers }),
    parsedBody: { jsonrpc: "2.0", id: "resume", method: "initialize", params },
  };
}

const renderRequester = (extra: Extra2025, sessionId: string | undefined): Requester => ({
  caller: parseAuthInfo(extra.authInfo),
  ...defined({ sessionId }),
});

function renderInbound(extra: Extra2025, sessionId: string | undefined, signal: AbortSignal): Inbound {
  const authorization = extra.requestInfo?.headers["authorization"];
  return {
    era: "2025",
    requestId: extra.requestId,
    signal,
    authorization: Array.isArray(authorization) ? authorization[0] : authorization,
    ...renderRequester(extra, sessionId),
    meta: extra._meta,
    readHeader: (name) => extra.requestInfo?.headers[name],
    notifyProgress: (params) => extra.sendNotification({ method: "notifications/progress", params: { ...params } }),
  };
}

/**
 * The 2025 era of an endpoint: one server per session, or one per request where sessions are "none" (AGT-6).
 * It decides which session a request belongs to; limits and ageing are the session store's.
 */
import { randomBytes } from "node:crypto";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { renderRpcFailure, rpcCodes } from "./json-rpc.ts";
import { observeBodyEnd } from "./response-body.ts";
import { openServer2025, type Parts2025, type Server2025 } from "./server-2025.ts";
import { SessionStore, type Clock, type Session, type SessionLimits } from "./sessions.ts";

export interface Leg {
  /** Answers a request of this era; `message` is the parsed body of a POST. */
  handle(request: Request, message?: Record<string, unknown>): Promise<Response>;
  sessionCount(): number;
  /** Ends what is running: signals abort, streams close. */
  close(): Promise<void>;
}

interface LiveSession extends Session {
  server: Server2025;
  setListening(listening: boolean): void;
}

const retryAfterSeconds = "5";

/** The era with sessions. `onSessionEnd` is called once for each session, whatever ended it. */
export function createSessionLeg(
  parts: Parts2025,
  options: { limits: SessionLimits; clock: Clock; onSessionEnd: (id: string) => void },
): Leg {
  const store = new SessionStore<LiveSession>(options.limits, options.clock, options.onSessionEnd);
  return {
    async handle(request, message) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) {
        return isInitializeRequest(message) ? await open(parts, store, request, message) : failWithoutSession(message);
      }
      const session = store.find(id);
      if (session === undefined) {
        const text = "Session not found: it ended or is not of this server; send initialize without Mcp-Session-Id";
        return fail(404, rpcCodes.sessionNotFound, text);
      }
      if (request.method === "GET") {
        return await listen(store, session, request);
      }
      if (message?.["method"] !== undefined && session.server.isInFlight(message["id"])) {
        const text = "Invalid Request: a call with this id is still running in the session";
        return fail(400, rpcCodes.invalidRequest, text);
      }
      return await session.server.handle(request, message);
    },
    sessionCount: () => store.size,
    async close() {
      store.endAll();
    },
  };
}

/** Answers `initialize`: a place, an id, a server. A refused initialize leaves none of them behind. */
async function open(
  parts: Parts2025,
  store: SessionStore<LiveSession>,
  request: Request,
  message: Record<string, unknown>,
): Promise<Response> {
  if (!store.reserve()) {
    const text = "Every session of this server has a call running; try again later";
    return fail(503, rpcCodes.serverError, text, { "Retry-After": retryAfterSeconds });
  }
  const id = randomBytes(16).toString("hex");
  let opened = false;
  let listening = false;
  const server = await openServer2025(parts, {
    sessionId: id,
    onInitialized() {
      opened = true;
      store.add(session);
    },
    onClosed: () => store.end(session),
    onCallEnd: () => store.touch(session),
  });
  const session: LiveSession = {
    id,
    server,
    isCalling: server.isCalling,
    isListening: () => listening,
    setListening: (value) => (listening = value),
    end: () => void server.close(),
  };
  try {
    return await server.handle(request, message);
  } finally {
    if (!opened) {
      store.release();
      await server.close();
    }
  }
}

/** Answers the GET stream; the session counts as busy until the client drops it. */
async function listen(store: SessionStore<LiveSession>, session: LiveSession, request: Request): Promise<Response> {
  const response = await session.server.handle(request);
  if (!response.ok) {
    return response;
  }
  session.setListening(true);
  return observeBodyEnd(response, () => {
    session.setListening(false);
    store.touch(session);
  });
}

/** The era without sessions: each POST is served by a server of its own, and dropping the response cancels the call. */
export function createStatelessLeg(parts: Parts2025): Leg {
  const running = new Set<Server2025>();
  return {
    async handle(request, message) {
      if (request.method !== "POST") {
        return fail(405, rpcCodes.serverError, "Method not allowed: this server keeps no sessions", { Allow: "POST" });
      }
      const server = await openServer2025(parts, { onClosed: () => running.delete(server) });
      running.add(server);
      const response = await server.handle(request, message);
      return observeBodyEnd(response, () => void server.close());
    },
    sessionCount: () => 0,
    async close() {
      await Promise.all([...running].map((server) => server.close()));
    },
  };
}

function failWithoutSession(message: Record<string, unknown> | undefined): Response {
  if (message?.["method"] === "initialize") {
    const text = "Invalid params: initialize needs an id, protocolVersion, capabilities and clientInfo";
    return fail(400, rpcCodes.invalidParams, text);
  }
  const text = "Bad Request: the Mcp-Session-Id header is missing; send initialize first and repeat the id it returns";
  return fail(400, rpcCodes.serverError, text);
}

function fail(status: number, code: number, message: string, headers?: Record<string, string>): Response {
  return renderRpcFailure({ status, code, message, ...(headers !== undefined && { headers }) });
}

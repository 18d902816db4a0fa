// The 2025 era of an endpoint: one server per session, and one per request where that needs none (AGT-6).
// It decides which session a request belongs to; limits and ageing are the session store's.
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { defined } from "../process/defined.ts";
import { defaultEventLimits, EventBuffer } from "./event-buffer.ts";
import { renderRpcFailure, rpcCodes } from "./json-rpc.ts";
import type { Caller } from "./caller.ts";
import type { KeptSubscriptions } from "./kept-subscriptions.ts";
import type { InboundRequest } from "./inbound-request.ts";
import { isOwnedBy, mintOwnedId } from "./owned-id.ts";
import { observeBodyEnd } from "./response-body.ts";
import { openSessionSubscriptions, type SessionSubscriptions } from "./session-subscriptions.ts";
import type { SubscriptionHub } from "./subscription-hub.ts";
import { openServer2025, type Parts2025, type Server2025 } from "./server-2025.ts";
import { SessionStore, type Session, type SessionLimits } from "./sessions.ts";
import type { Clock } from "../process/clock.ts";

export interface Leg {
  /** Answers a request of this era. */
  handle(inbound: InboundRequest): Promise<Response>;
  /** Runs `onEnd` once no call of this request runs, whose response has ended: at once, unless the call outlives it. */
  afterCall(inbound: InboundRequest, onEnd: () => void): void;
  sessionCount(): number;
  /** Ends what is running: signals abort, streams close. */
  close(): Promise<void>;
}

interface LiveSession extends Session {
  server: Server2025;
  /** Notes a GET stream; what it returns takes that back. */
  beginListening(): () => void;
  /** Absent where nothing of the table ever changes. */
  subscriptions: SessionSubscriptions | undefined;
}

const retryAfterSeconds = "5";
/** What a client of this era speaks that does not say it with each request. */
const unsaidProtocolVersion = "2025-03-26";

interface SessionLegOptions {
  limits: SessionLimits;
  clock: Clock;
  /** See ServeOptions, as the next three. */
  opensSessions: (() => Promise<boolean>) | undefined;
  onSessionOpen: ((id: string) => void) | undefined;
  isResumable: (id: string) => Promise<boolean>;
  onSessionDelete: (id: string) => Promise<void>;
  hub: SubscriptionHub | undefined;
  /** Absent where no session is resumable. */
  keptSubscriptions: KeptSubscriptions | undefined;
}

const refusals = {
  unknown() {
    const text = "Session not found: it ended or is not of this server; send initialize without Mcp-Session-Id";
    return fail(404, rpcCodes.sessionNotFound, text);
  },
  full() {
    const text = "Every session of this server has a call running; try again later";
    return fail(503, rpcCodes.serverError, text, { "Retry-After": retryAfterSeconds });
  },
  unavailable() {
    const text = "The session cannot be resumed now; try again later";
    return fail(503, rpcCodes.serverError, text, { "Retry-After": retryAfterSeconds });
  },
} as const;
type Refusal = keyof typeof refusals;

interface Room {
  parts: Parts2025;
  store: SessionStore<LiveSession>;
  events: EventBuffer;
  hub: SubscriptionHub | undefined;
  kept: KeptSubscriptions | undefined;
}

/** The era with sessions, and without where `opensSessions` is given. */
export function createSessionLeg(parts: Parts2025, options: SessionLegOptions): Leg {
  const store = new SessionStore<LiveSession>(options.limits, options.clock);
  const { hub, keptSubscriptions: kept } = options;
  const room: Room = { parts, store, events: new EventBuffer(defaultEventLimits, options.clock), hub, kept };
  /** Requests of one session that come together, as after a restart, resume it once. */
  const resuming = new Map<string, Promise<LiveSession | Refusal>>();

  const { opensSessions = async () => true } = options;
  const standalone = options.opensSessions && createStatelessLeg(parts);

  const findOrResume = async (id: string, inbound: InboundRequest): Promise<LiveSession | Refusal> => {
    const live = store.find(id);
    if (live !== undefined) return live;
    const begun = resuming.get(id) ?? resume(room, { id, inbound, isResumable: options.isResumable });
    resuming.set(id, begun);
    return await begun.finally(() => resuming.delete(id));
  };
  return {
    async handle(inbound) {
      const { request, message, caller } = inbound;
      const id = request.headers.get("mcp-session-id");
      if (id === null) {
        if (isInitializeRequest(message) && (await opensSessions())) {
          return await open(room, inbound, options.onSessionOpen);
        }
        return (await standalone?.handle(inbound)) ?? failWithoutSession(message);
      }
      const session = isOwnedBy(id, caller) ? await findOrResume(id, inbound) : "unknown";
      // Another process may have opened it.
      if (session === "unknown" && standalone !== undefined && !(await opensSessions())) {
        return await standalone.handle(inbound);
      }
      if (typeof session === "string") return refusals[session]();
      session.subscriptions?.identify(caller);
      if (request.method === "GET") return await listen(store, session, inbound);
      if (message?.["method"] !== undefined && session.server.isInFlight(message["id"])) {
        const text = "Invalid Request: a call with this id is still running in the session";
        return fail(400, rpcCodes.invalidRequest, text);
      }
      const response = await session.server.handle(inbound);
      if (request.method === "DELETE" && response.ok) {
        kept?.save(id, []);
        await options.onSessionDelete(id);
      }
      return response;
    },
    afterCall({ request, message }, onEnd) {
      // In a session a dropped response cancels nothing: its client may come back for the result.
      const session = store.find(request.headers.get("mcp-session-id") ?? "");
      if (session === undefined) onEnd();
      else session.server.afterCall(message?.["id"], onEnd);
    },
    sessionCount: () => store.size,
    async close() {
      await Promise.allSettled(resuming.values());
      store.endAll();
      await standalone?.close();
    },
  };
}

/** Answers `initialize` with a new session. */
async function open(
  room: Room,
  inbound: InboundRequest,
  onSessionOpen: SessionLegOptions["onSessionOpen"],
): Promise<Response> {
  if (!room.store.reserve()) return refusals.full();
  const own = { id: mintOwnedId(inbound.caller), caller: inbound.caller };
  const response = await begin(room, own, ({ server }) => server.handle(inbound));
  if (response.ok) onSessionOpen?.(own.id);
  return response;
}

/** Takes up a session that is not open here, as the request needs it. */
async function resume(
  room: Room,
  wanted: { id: string; inbound: InboundRequest; isResumable: SessionLegOptions["isResumable"] },
): Promise<LiveSession | Refusal> {
  const { id } = wanted;
  const { request, caller } = wanted.inbound;
  try {
    if (!(await wanted.isResumable(id))) return "unknown";
    const uris = (await room.kept?.load(id)) ?? [];
    if (!room.store.reserve()) return "full";
    return await begin(room, { id, caller }, async (session) => {
      session.subscriptions?.restore(uris);
      await session.server.resume(request.headers.get("mcp-protocol-version") ?? unsaidProtocolVersion);
      return session;
    });
  } catch (error) {
    room.parts.log.warn({ err: error }, "mcp session cannot be resumed");
    return "unavailable";
  }
}

/** A session in the place that is reserved for it. When `initialize` does not make one of it, nothing is left behind. */
async function begin<Result>(
  { parts, store, events, hub, kept }: Room,
  { id, caller }: { id: string; caller: Caller },
  initialize: (session: LiveSession) => Promise<Result>,
): Promise<Result> {
  let opened = false;
  // The standalone stream and one that was resumed can be open together, and end in any order.
  const streams = new Set<symbol>();
  const subscriptions = hub && openSessionSubscriptions(hub, { sessionId: id, caller, kept });
  const server = await openServer2025(parts, {
    sessionId: id,
    subscriptions,
    events: events.openSession(),
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
    isListening: () => streams.size > 0,
    beginListening() {
      const stream = Symbol("stream");
      streams.add(stream);
      return () => void streams.delete(stream);
    },
    subscriptions,
    end() {
      subscriptions?.close();
      void server.close();
    },
  };
  try {
    return await initialize(session);
  } finally {
    if (!opened) {
      store.release();
      subscriptions?.close();
      await server.close();
    }
  }
}

/** Answers the GET stream; the session counts as busy until the client drops it. */
async function listen(
  store: SessionStore<LiveSession>,
  session: LiveSession,
  inbound: InboundRequest,
): Promise<Response> {
  const response = await session.server.handle(inbound);
  if (!response.ok) return response;
  const endListening = session.beginListening();
  const onEnd = () => {
    endListening();
    store.touch(session);
  };
  // With that header it is the stream of a call.
  const isStandalone = !inbound.request.headers.get("last-event-id");
  return session.subscriptions !== undefined && isStandalone
    ? session.subscriptions.carry(response, session.server.notify, onEnd)
    : observeBodyEnd(response, onEnd);
}

/** Without sessions: each POST is served by a server of its own, and dropping the response cancels the call. */
function createStatelessLeg(parts: Parts2025): Pick<Leg, "handle" | "close"> {
  const running = new Set<Server2025>();
  return {
    async handle(inbound) {
      if (inbound.request.method !== "POST") {
        return fail(405, rpcCodes.serverError, "Method not allowed: this server keeps no sessions", { Allow: "POST" });
      }
      const server = await openServer2025(parts, { onClosed: () => running.delete(server) });
      running.add(server);
      const response = await server.handle(inbound);
      return observeBodyEnd(response, () => void server.close());
    },
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
  return renderRpcFailure({ status, code, message, ...defined({ headers }) });
}

// The 2025 era of a bridge: which session a request belongs to, how many there may be, and when they end. What passes in a
// session is its own.
import { mintOwnedId } from "../../lib/mcp/owned-id.ts";
import type { InboundRequest } from "../../lib/mcp/inbound-request.ts";
import { JsonRpcError, renderRpcFailure, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { Leg } from "../../lib/mcp/serve-2025.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { readMessage, renderError, type Message, type RpcId } from "../stdio/messages.ts";
import { eventStreamHeaders } from "./event-sink.ts";
import { openReply } from "./reply.ts";
import { RelaySession, type SessionParts } from "./session.ts";

export interface RelayLegOptions extends Omit<SessionParts, "clock"> {
  readonly idleTtlMs: number;
  /** A session without a stream and a request for so long makes room for a new one: many clients leave without ending theirs. */
  readonly abandonedAfterMs: number;
  /**
   * Asked for each session; what it returns is called when that has ended. Where all places are taken it first awaits
   * `makeRoom`. Rejects with a JsonRpcError when there is none even so.
   */
  readonly takePlace: (makeRoom: () => Promise<void>) => Promise<() => void>;
  readonly clock: Clock;
  readonly log: Logger;
}

const keepAliveMs = 15_000;
const sessionHeader = "mcp-session-id";

export function createRelayLeg(options: RelayLegOptions): Leg {
  const sessions = new RelaySessions(options);
  return {
    async handle({ request, message }) {
      const id = request.headers.get(sessionHeader);
      if (id === null) {
        const initialize = readInitialize(message);
        return initialize === undefined ? failWithoutSession() : await sessions.open(initialize);
      }
      const session = sessions.find(id);
      if (session === undefined) {
        const text = "Session not found: it ended or is not of this server; send initialize without Mcp-Session-Id";
        return fail(404, rpcCodes.sessionNotFound, text);
      }
      if (request.method === "DELETE") {
        await sessions.end(id, "the session was ended by its client");
        return new Response(null, { status: 200 });
      }
      return request.method === "GET" ? listen(session) : await post(session, request, message, options.clock);
    },
    // The body is the server's when it has been sent on; what is left of it here is a small part.
    afterCall: (_inbound, onEnd) => onEnd(),
    sessionCount: () => sessions.size,
    close: () => sessions.close(),
  };
}

interface Live {
  readonly session: RelaySession;
  readonly leavePlace: () => void;
  usedAt: number;
}

class RelaySessions {
  readonly #live = new Map<string, Live>();
  readonly #options: RelayLegOptions;
  readonly #sweeper: Timer;
  #isClosed = false;

  constructor(options: RelayLegOptions) {
    this.#options = options;
    this.#sweeper = repeat(options.clock, Math.min(keepAliveMs, options.idleTtlMs), () => this.#sweep());
  }

  get size(): number {
    return this.#live.size;
  }

  /** A session that has not idled for too long; its idle time begins anew. */
  find(id: string): RelaySession | undefined {
    const entry = this.#live.get(id);
    if (entry === undefined) return undefined;
    if (this.#isIdle(entry)) {
      void this.end(id, "the session has idled for too long");
      return undefined;
    }
    entry.usedAt = this.#options.clock.now();
    return entry.session;
  }

  async open(message: Message & { id: RpcId }): Promise<Response> {
    const { takePlace, clock } = this.#options;
    const id = mintOwnedId("anyone");
    const onCallEnd: SessionParts["onCallEnd"] = (...args) => {
      const entry = this.#live.get(id);
      if (entry !== undefined) entry.usedAt = clock.now();
      this.#options.onCallEnd(...args);
    };
    let leavePlace: (() => void) | undefined;
    const session = new RelaySession(id, message, { ...this.#options, onCallEnd });
    try {
      leavePlace = await takePlace(() => this.#endAbandoned());
      const { text } = await session.open();
      if (this.#isClosed) throw new JsonRpcError(rpcCodes.serverError, "the bridge is shutting down");
      this.#live.set(id, { session, leavePlace, usedAt: clock.now() });
      return json(text, { [sessionHeader]: id });
    } catch (error) {
      await session.close("the session could not be opened");
      leavePlace?.();
      if (!(error instanceof JsonRpcError)) throw error;
      return json(renderError(message.id, error.code, error.message), { "Retry-After": "5" }, 503);
    }
  }

  async end(id: string, why: string): Promise<void> {
    const entry = this.#live.get(id);
    if (entry === undefined) return;
    this.#live.delete(id);
    try {
      await entry.session.close(why);
    } catch (error) {
      this.#options.log.warn({ err: error }, "session could not be ended");
    } finally {
      entry.leavePlace();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.cancel();
    await Promise.all([...this.#live.keys()].map((id) => this.end(id, "the bridge is shutting down")));
  }

  #isIdle({ session, usedAt }: Live): boolean {
    const { clock, idleTtlMs } = this.#options;
    return session.callCount === 0 && clock.now() - usedAt >= idleTtlMs;
  }

  /** The one that was left the longest ago; those who come later in the map may have been used before. */
  async #endAbandoned(): Promise<void> {
    const { clock, abandonedAfterMs } = this.#options;
    const [oldest] = [...this.#live]
      .filter(([, { session, usedAt }]) => {
        const isUsed = session.callCount > 0 || session.listener.isOpen;
        return !isUsed && clock.now() - usedAt >= abandonedAfterMs;
      })
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest !== undefined) await this.end(oldest[0], "the session was left, and its place was needed");
  }

  #sweep(): void {
    for (const [id, entry] of this.#live) {
      if (this.#isIdle(entry)) void this.end(id, "the session has idled for too long");
      else entry.session.listener.keepAlive();
    }
  }
}

async function post(
  session: RelaySession,
  request: Request,
  body: InboundRequest["message"],
  clock: Clock,
): Promise<Response> {
  const message = readMessage(body);
  if (message === undefined) {
    return fail(400, rpcCodes.invalidRequest, "Invalid Request: the request body must be one JSON-RPC message");
  }
  const { id, method } = message;
  if (id === undefined || method === undefined) {
    session.notify(message);
    return new Response(null, { status: 202 });
  }
  if (method === "initialize") {
    return fail(400, rpcCodes.invalidRequest, "Invalid Request: the session is initialized already");
  }
  if (session.isRunning(id)) {
    return fail(400, rpcCodes.invalidRequest, "Invalid Request: a call with this id is still running in the session");
  }
  const reply = openReply(request.headers.get("accept"), { [sessionHeader]: session.id }, clock);
  void session.request({ ...message, id, method }, reply);
  return await reply.response;
}

function listen({ id, listener }: RelaySession): Response {
  if (listener.isOpen) {
    return fail(409, rpcCodes.serverError, "Conflict: the session's stream is open already; a session has only one");
  }
  return new Response(listener.open(), { headers: { ...eventStreamHeaders, [sessionHeader]: id } });
}

function readInitialize(body: InboundRequest["message"]): (Message & { id: RpcId }) | undefined {
  const message = readMessage(body);
  return message?.method === "initialize" && message.id !== undefined && message.params !== undefined
    ? { ...message, id: message.id }
    : undefined;
}

function repeat(clock: Clock, everyMs: number, run: () => void): Timer {
  let timer: Timer;
  const arm = () => {
    timer = clock.schedule(everyMs, () => {
      run();
      arm();
    });
  };
  arm();
  return { cancel: () => timer.cancel() };
}

const json = (text: string, headers: Record<string, string>, status = 200): Response =>
  new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });

function failWithoutSession(): Response {
  const text = "Bad Request: the Mcp-Session-Id header is missing; send initialize first and repeat the id it returns";
  return fail(400, rpcCodes.serverError, text);
}

const fail = (status: number, code: number, message: string, headers?: Record<string, string>): Response =>
  renderRpcFailure({ status, code, message, ...(headers !== undefined && { headers }) });

// Serves one table on `/mcp` in both eras of MCP (AGT-6): reads the body once under one limit, decides the era, hands over.
// Host and Origin checks, authentication and metrics belong to whoever mounts the app.
import { Hono } from "hono";
import { systemClock, type Clock } from "../process/clock.ts";
import { createMemoryBudget, deriveBudgetBytes, type Holder, type MemoryBudget } from "../process/memory-budget.ts";
import type { Logger } from "../process/log.ts";
import type { Caller, NamedCaller } from "./caller.ts";
import { createDispatcher } from "./dispatch.ts";
import { isSurely2025, listenMethod } from "./era.ts";
import type { McpExtension } from "./extension.ts";
import { renderRpcFailure, rpcCodes } from "./json-rpc.ts";
import { type KeptSubscriptions, keepSubscriptionsInMemory } from "./kept-subscriptions.ts";
import { observeBodyEnd } from "./response-body.ts";
import { readMessage } from "./request-body.ts";
import type { InboundRequest } from "./inbound-request.ts";
import { createSessionLeg, type Leg } from "./serve-2025.ts";
import type { StreamLeg } from "./serve-2026.ts";
import type { SessionLimits } from "./sessions.ts";
import { createSubscriptionHub } from "./subscription-hub.ts";
import type { McpTable } from "./table.ts";

export interface ServeOptions {
  log: Logger;
  /** Largest accepted body of a POST, inclusive; one byte more is answered with 413 (AGT-10). */
  bodyLimitBytes: number;
  /**
   * What the bodies of all requests may hold together, each until its call is over; beyond it a request gets 503 (SEC-6).
   * Default: one of this endpoint's own, by the memory of the process.
   */
  bodyBudget?: MemoryBudget;
  /** Hears of each such 503. */
  onBodyRefused?: () => void;
  /**
   * "named": a middleware before the endpoint names the caller of each request, and sessions belong to their callers (AGT-11).
   * "either": it names some; the others are anyone, who shares nothing with them.
   */
  callers: "anyone" | "named" | "either";
  /** Of the 2025 era. */
  sessions: SessionLimits;
  /**
   * For tables whose calls need no session: whether an initialize opens one now. It is asked each time, and sessions that
   * are open stay. Whoever names none is then served all the same, and so is, while none are opened, whoever names one that
   * is not known here: each POST stands alone, and dropping it cancels. Default: every call needs a session.
   */
  opensSessions?: () => Promise<boolean>;
  /**
   * Whether a session that is not open here is taken up again without a new initialize: one that idled out, made room, or
   * was opened by a process before this one (AGT-5). Default: none is. When it rejects, the request gets 503.
   */
  isResumable?: (id: string) => Promise<boolean>;
  /** Called when an initialize has opened a session, before its client knows the id. It must not throw. */
  onSessionOpen?: (id: string) => void;
  /** Called when a client has ended its session with DELETE, which is answered after it; 500 when it rejects. */
  onSessionDelete?: (id: string) => Promise<void>;
  /**
   * Where subscriptions of sessions are kept for when they are resumed. Default: in memory, so that they outlive what
   * `sessions` ends, and not the process.
   */
  keptSubscriptions?: KeptSubscriptions;
  extension?: McpExtension;
  clock?: Clock;
}

/** What a middleware before the endpoint may say of a request. */
export interface McpVariables {
  Variables: {
    /** Who sent it; read unless `callers` is "anyone". */
    caller?: NamedCaller;
  };
}

export interface McpEndpoint {
  /** Mount at "/"; it serves /mcp. */
  app: Hono<McpVariables>;
  /** Ends all sessions and streams and aborts running calls; requests after it get 503. */
  close(): Promise<void>;
  /** Open sessions of the 2025 era. */
  sessionCount(): number;
}

/** Serves `table`. Throws when a name is used twice in it. */
export function serveMcp(table: McpTable, options: ServeOptions): McpEndpoint {
  const { log, callers, sessions, clock = systemClock, bodyBudget = createMemoryBudget(deriveBudgetBytes()) } = options;
  const bodyLimits = { maxBytes: options.bodyLimitBytes, budget: bodyBudget, onRefused: options.onBodyRefused };
  const { isResumable = async () => false, onSessionDelete = async () => undefined, onSessionOpen } = options;
  const dispatcher = createDispatcher(table, log);
  const parts = { table, dispatcher, log, extension: options.extension };
  const { opensSessions } = options;
  const hub = createSubscriptionHub(table, clock);
  const keptSubscriptions =
    options.isResumable && hub ? (options.keptSubscriptions ?? keepSubscriptionsInMemory()) : undefined;
  const resumption = { isResumable, onSessionOpen, onSessionDelete, keptSubscriptions };
  const leg2025 = createSessionLeg(parts, { limits: sessions, clock, opensSessions, hub, ...resumption });
  let leg2026: Promise<StreamLeg> | undefined;
  const isAlone = opensSessions ?? (async () => true);
  const load2026 = async () => (await import("./serve-2026.ts")).createStreamLeg({ ...parts, clock, isAlone, hub });
  const pickLeg = async (inbound: InboundRequest): Promise<Leg> => {
    if (isSurely2025(inbound.request, inbound.message)) return leg2025;
    const stream = await (leg2026 ??= load2026());
    return (await stream.isOf2025(inbound)) ? leg2025 : stream;
  };
  let closed = false;

  const app = new Hono<McpVariables>();
  app.all("/mcp", async (context) => {
    const request = context.req.raw;
    if (!["GET", "POST", "DELETE"].includes(request.method)) {
      const headers = { Allow: "GET, POST, DELETE" };
      return renderRpcFailure({ status: 405, code: rpcCodes.serverError, message: "Method not allowed", headers });
    }
    const caller = findCaller(callers, context.get("caller"));
    const body = request.method === "POST" ? await readMessage(request, bodyLimits) : undefined;
    // Asked only now, because reading the body may take long.
    const holder = body?.ok === true ? body.holder : undefined;
    if (closed) {
      holder?.release();
      const message = "The server is shutting down";
      return renderRpcFailure({ status: 503, code: rpcCodes.serverError, message, headers: { "Retry-After": "5" } });
    }
    if (body?.ok === false) return renderRpcFailure(body.failure);
    return await handOver(pickLeg, { request, message: body?.message, caller }, holder);
  });
  app.onError((error) => {
    log.error({ err: error }, "mcp request failed");
    return renderRpcFailure({ status: 500, code: rpcCodes.internalError, message: "Internal server error" });
  });
  return {
    app,
    async close() {
      closed = true;
      hub?.close();
      await Promise.all([leg2025.close(), leg2026?.then((leg) => leg.close())]);
    },
    sessionCount: leg2025.sessionCount,
  };
}

/** Throws where whoever mounted the endpoint forgot to name the caller: nobody is served then. */
function findCaller(callers: ServeOptions["callers"], caller: NamedCaller | undefined): Caller {
  if (callers === "anyone") return "anyone";
  if (callers === "either") return caller ?? "anyone";
  if (caller === undefined) throw new Error("expected a middleware that names the caller, found none");
  return caller;
}

/** The body counts until nobody needs it: its answer is sent or dropped, and the call it made is over. */
async function handOver(
  pickLeg: (inbound: InboundRequest) => Promise<Leg>,
  inbound: InboundRequest,
  holder: Holder | undefined,
): Promise<Response> {
  try {
    const leg = await pickLeg(inbound);
    const response = await leg.handle(inbound);
    if (holder !== undefined && inbound.message?.["method"] === listenMethod) {
      // What it names is counted elsewhere, and its stream may last for days.
      holder.release();
      return response;
    }
    return holder === undefined ? response : observeBodyEnd(response, () => leg.afterCall(inbound, holder.release));
  } catch (error) {
    holder?.release();
    throw error;
  }
}

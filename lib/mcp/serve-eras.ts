// Serves both eras of MCP on `/mcp` (AGT-6): reads the body once under one limit, decides the era, hands over to whoever answers
// in it. Host and Origin checks, authentication and metrics belong to whoever mounts the app; what is served to the legs.
import { Hono } from "hono";
import type { Holder, MemoryBudget } from "../process/memory-budget.ts";
import type { Logger } from "../process/log.ts";
import type { Caller, NamedCaller } from "./caller.ts";
import { isSurely2025, listenMethod } from "./era.ts";
import { renderRpcFailure, rpcCodes } from "./json-rpc.ts";
import { observeBodyEnd } from "./response-body.ts";
import { readMessage } from "./request-body.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { Leg } from "./serve-2025.ts";
import type { StreamLeg } from "./serve-2026.ts";

export interface EraOptions {
  log: Logger;
  /** Largest accepted body of a POST, inclusive; one byte more is answered with 413 (AGT-10). */
  bodyLimitBytes: number;
  /** What the bodies of all requests may hold together, each until its call is over; beyond it a request gets 503 (SEC-6). */
  bodyBudget: MemoryBudget;
  /** Hears of each such 503. */
  onBodyRefused?: (() => void) | undefined;
  /**
   * "named": a middleware before the endpoint names the caller of each request, and sessions belong to their callers (AGT-11).
   * "either": it names some; the others are anyone, who shares nothing with them.
   */
  callers: "anyone" | "named" | "either";
}

/** What a middleware before the endpoint may say of a request. */
export interface EraVariables {
  Variables: {
    /** Who sent it; read unless `callers` is "anyone". */
    caller?: NamedCaller;
  };
}

export interface EraLegs {
  /** Asked at each request of its era, and the other at each that may be of the 2026 era. */
  load2025: () => Promise<Leg>;
  load2026: () => Promise<StreamLeg>;
  /** Whether requests get 503, as nothing is served any more. */
  isClosed: () => boolean;
}

/** Mount at "/"; it serves /mcp. */
export function serveEras({ load2025, load2026, isClosed }: EraLegs, options: EraOptions): Hono<EraVariables> {
  const { log, callers, bodyBudget } = options;
  const bodyLimits = { maxBytes: options.bodyLimitBytes, budget: bodyBudget, onRefused: options.onBodyRefused };
  /** Undefined when nothing is served any more, since loading a leg may take long too. */
  const pickLeg = async (inbound: InboundRequest): Promise<Leg | undefined> => {
    const leg = await findLeg(inbound);
    return isClosed() ? undefined : leg;
  };
  const findLeg = async (inbound: InboundRequest): Promise<Leg> => {
    if (isSurely2025(inbound.request, inbound.message)) return await load2025();
    const stream = await load2026();
    return (await stream.isOf2025(inbound)) ? await load2025() : stream;
  };
  const app = new Hono<EraVariables>();
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
    if (isClosed()) {
      holder?.release();
      return renderClosed();
    }
    if (body?.ok === false) return renderRpcFailure(body.failure);
    return await handOver(pickLeg, { request, message: body?.message, caller }, holder);
  });
  app.onError((error) => {
    log.error({ err: error }, "mcp request failed");
    return renderRpcFailure({ status: 500, code: rpcCodes.internalError, message: "Internal server error" });
  });
  return app;
}

const renderClosed = (): Response =>
  renderRpcFailure({
    status: 503,
    code: rpcCodes.serverError,
    message: "The server is shutting down",
    headers: { "Retry-After": "5" },
  });

/** Throws where whoever mounted the endpoint forgot to name the caller: nobody is served then. */
function findCaller(callers: EraOptions["callers"], caller: NamedCaller | undefined): Caller {
  if (callers === "anyone") return "anyone";
  if (callers === "either") return caller ?? "anyone";
  if (caller === undefined) throw new Error("expected a middleware that names the caller, found none");
  return caller;
}

/** The body counts until nobody needs it: its answer is sent or dropped, and the call it made is over. */
async function handOver(
  pickLeg: (inbound: InboundRequest) => Promise<Leg | undefined>,
  inbound: InboundRequest,
  holder: Holder | undefined,
): Promise<Response> {
  try {
    const leg = await pickLeg(inbound);
    if (leg === undefined) {
      holder?.release();
      return renderClosed();
    }
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

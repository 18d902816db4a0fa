// The way through the gateway to an agent (MGM-1): people, by role, to its MCP endpoint at `/proxy/{agent}/mcp`; an agent, by
// its own token at `/mcp`, to its own compositor, where a person's token goes on to whatever is mounted behind. Who asks is
// known before; nothing of MCP is read here but headers, and where the gateway has a policy the messages to agents.
import { IncomingMessage, ServerResponse, type IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { Hono, type Context } from "hono";
import { compositorPath } from "../../crds/names.ts";
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import { renderRpcFailure, rpcCodes, type RpcFailure } from "../../lib/mcp/json-rpc.ts";
import { createForwarder } from "../../lib/outgoing/forwarder.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { ServerEnv } from "../../lib/process/http-server.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { bodyTooLarge, runExchange, type Exchange, type ExchangeEnd, type Outcome } from "./exchange.ts";
import { findAgent, type ProxiedAgents } from "./find-agent.ts";
import { renderAgentHeaders } from "./forwarded-headers.ts";
import { judgeMessage } from "./judged-message.ts";
import { createPlaces } from "./places.ts";
import { watchMessage } from "./watched-message.ts";

/** What metrics count. `agent` is one that is known, so that there are no more of them than agents. */
export interface ProxiedCall {
  route: "agent" | "compositor";
  agent: string;
  outcome: Outcome | "busy";
  durationMs: number;
}

const defaultLimits = {
  /** Requests and streams that run at a time. */
  maxExchanges: 1_024,
  maxPerCaller: 128,
  /** Of what is answered at once: streams, and ends of sessions. */
  firstByteTimeoutMs: 15_000,
};

export interface ProxyParts {
  policy: Pick<GatewayPolicy, "isThere" | "judge">;
  agents: ProxiedAgents;
  /** Of spec.auth.jwt; absent: no agent of the instance asks for a token. What reaches the proxy as Authorization is theirs. */
  issuer: string | undefined;
  /** The gateway's own token for the compositors of its agents. */
  readAgentsToken: () => Promise<string>;
  maxBodyBytes: number;
  /** How long a call may take that is answered when it is over. */
  callTimeoutMs: number;
  limits?: Partial<typeof defaultLimits>;
  onEnd?: (call: ProxiedCall) => void;
  /** Hears when a caller's request to an agent begins, and when it is over. */
  onTalk?: (agent: string, identity: Identity) => void;
  /** Hears of each message that went to an agent, when it is over, but where its sender left before. */
  onMessage?: (message: { agent: string; success: boolean }) => void;
  log: Logger;
  clock: Clock;
}

export interface Proxy {
  /** Mount at "/", before what serves people at /mcp. It needs a server that listens. */
  app: Hono<GatewayRoutes>;
  /** Requests and streams that run now. */
  count(): number;
  /** Drops what still runs. */
  close(): Promise<void>;
}

interface Destination {
  route: ProxiedCall["route"];
  agent: string;
  identity: Identity;
}

const connectTimeoutMs = 3_000;
const retryAfter = { "Retry-After": "5" };

export function createProxy(parts: ProxyParts): Proxy {
  const forwarder = createForwarder({ connectTimeoutMs });
  const places = createPlaces({ ...defaultLimits, ...parts.limits });
  const forward = async (context: Context<GatewayRoutes>, destination: Destination): Promise<Response> => {
    const { route, agent, identity } = destination;
    const startedAt = parts.clock.now();
    const found = findAgent(parts.agents, agent, identity);
    if (found.kind === "failed") return renderRpcFailure(found.failure);
    const prepared = await prepare(context, destination, parts);
    if ("code" in prepared) return renderRpcFailure(prepared);
    const noteTalk = () => {
      if (route === "agent" && prepared.method === "POST") parts.onTalk?.(agent, identity);
    };
    const end = ({ outcome, error }: { outcome: ProxiedCall["outcome"]; error?: unknown }) => {
      noteTalk();
      if (outcome === "failed" && error !== undefined) parts.log.warn({ agent, route, err: error }, "agent broke off");
      parts.onEnd?.({ route, agent, outcome, durationMs: parts.clock.now() - startedAt });
    };
    const release = places.take(identity.subject);
    if (typeof release === "string") {
      end({ outcome: "busy" });
      return renderRpcFailure(renderBusy(release));
    }
    const { outgoing } = context.env;
    const controller = watchClient(
      outgoing,
      prepared.isStream ? identity.expiresAtMs : undefined,
      parts.clock,
      release,
    );
    const sent = await judgeBody(prepared, destination, parts, controller.signal);
    if (sent instanceof Response) {
      end({ outcome: "refused" });
      return sent;
    }
    const watched = watchMessage(sent.headers);
    const endExchange = ({ outcome, error }: ExchangeEnd) => {
      end({ outcome, error });
      const success = outcome === "ok" && !watched.saysFailed;
      if (route === "agent" && watched.isMessage && outcome !== "aborted") parts.onMessage?.({ agent, success });
    };
    noteTalk();
    const url = new URL(route === "agent" ? found.mcpUrl : `${found.adminUrl}${compositorPath}/mcp`);
    const exchange = { ...sent, url, agent, watched, controller, destroyAnswer: () => outgoing.destroy() };
    const answer = await runExchange(exchange, { forwarder, clock: parts.clock, onEnd: once(endExchange) });
    return answer.kind === "answer" ? answer.response : renderRpcFailure(answer.failure);
  };

  const app = new Hono<GatewayRoutes>();
  app.all("/proxy/:agent/mcp", async (context) => {
    const identity = context.get("caller");
    const refusal = requireRole(identity, "caller");
    if (refusal !== undefined) return renderRpcFailure({ ...refusal, code: rpcCodes.serverError });
    return await forward(context, { route: "agent", agent: context.req.param("agent"), identity });
  });
  app.all("/mcp", async (context, next) => {
    const identity = context.get("caller");
    if (identity.kind !== "agent") return await next();
    return await forward(context, { route: "compositor", agent: identity.agent, identity });
  });
  app.onError((error) => {
    parts.log.error({ err: error }, "proxied request failed");
    return renderRpcFailure({ status: 500, code: rpcCodes.internalError, message: "Internal server error" });
  });
  return { app, count: places.count, close: () => forwarder.close() };
}

/** A message as the gateway's policy lets it pass, or what is answered in the agent's place; an agent's own compositor judges itself. */
async function judgeBody(
  prepared: Prepared,
  { route, agent, identity }: Destination,
  { policy, maxBodyBytes }: ProxyParts,
  signal: AbortSignal,
): Promise<Prepared | Response> {
  const { body, headers } = prepared;
  if (route !== "agent" || body === undefined || !policy.isThere) return prepared;
  try {
    const sessionId = headers["mcp-session-id"];
    const judged = await judgeMessage({ policy, agent, identity, sessionId, body, maxBodyBytes, signal });
    if ("failure" in judged) return renderRpcFailure(judged.failure);
    if ("answer" in judged) return Response.json(judged.answer);
    const sent = { ...headers, "content-length": String(judged.body.length) };
    return { ...prepared, headers: sent, body: Readable.from([judged.body], { objectMode: false }) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return renderRpcFailure({ status: 499, code: rpcCodes.serverError, message: "The request was given up" });
  }
}

interface Prepared extends Pick<Exchange, "method" | "headers" | "body" | "maxBodyBytes" | "firstByteTimeoutMs"> {
  /** It has no end of its own. */
  isStream: boolean;
}

/** What is sent on, or why nothing is. */
async function prepare(
  context: Context<GatewayRoutes>,
  { route, agent, identity }: Destination,
  parts: ProxyParts,
): Promise<Prepared | RpcFailure> {
  const { method } = context.req;
  const { headers, ...incoming } = readIncoming(context.env.incoming);
  if (method !== "GET" && method !== "POST" && method !== "DELETE") {
    const allow = { Allow: "GET, POST, DELETE" };
    return { status: 405, code: rpcCodes.serverError, message: "Method not allowed", headers: allow };
  }
  if (Number(headers["content-length"] ?? 0) > parts.maxBodyBytes) return bodyTooLarge(parts.maxBodyBytes);
  const proof = await findOwnToken(parts);
  const own = proof && `Bearer ${proof}`;
  const authorization = route === "compositor" ? own : context.req.header("authorization");
  if (route === "compositor" && authorization === undefined) {
    const message = "The gateway has no token for its agents now; try again later";
    return { status: 503, code: rpcCodes.serverError, message, headers: retryAfter };
  }
  if (parts.issuer !== undefined && authorization === undefined) {
    const message = `The agent ${agent} asks for a token of ${parts.issuer}, and yours is another: sign in there`;
    return { status: 403, code: rpcCodes.serverError, message };
  }
  // The 2026 era says by a header what a POST asks for.
  const isStream = method === "GET" || headers["mcp-method"] === "subscriptions/listen";
  const { firstByteTimeoutMs } = { ...defaultLimits, ...parts.limits };
  return {
    method,
    headers: renderAgentHeaders(headers, {
      subject: identity.subject,
      authorization,
      vouched: proof === undefined ? undefined : { caller: identity, proof },
    }),
    body: method === "POST" ? incoming.body : undefined,
    maxBodyBytes: parts.maxBodyBytes,
    firstByteTimeoutMs: method === "POST" && !isStream ? parts.callTimeoutMs : firstByteTimeoutMs,
    isStream,
  };
}

/** Without it an agent takes the caller for nobody that is known. */
async function findOwnToken({ readAgentsToken, log }: ProxyParts): Promise<string | undefined> {
  try {
    return await readAgentsToken();
  } catch (error) {
    log.error({ err: error }, "the gateway's own token for its agents cannot be read");
    return undefined;
  }
}

function readIncoming(incoming: ServerEnv["incoming"]): { headers: IncomingHttpHeaders; body: IncomingMessage } {
  // HTTP/2 is never offered.
  if (!(incoming instanceof IncomingMessage)) throw new Error("expected a request of HTTP/1.1");
  return { headers: incoming.headers, body: incoming };
}

/** Aborted when the answer has gone out or its client has gone, and where it lasts, when the caller's token ends. */
function watchClient(
  outgoing: ServerEnv["outgoing"],
  expiresAtMs: number | undefined,
  clock: Clock,
  release: () => void,
): AbortController {
  const controller = new AbortController();
  const timer =
    expiresAtMs === undefined
      ? undefined
      : clock.schedule(Math.max(0, expiresAtMs - clock.wallNow()), () =>
          controller.abort(new Error("the caller's token has ended")),
        );
  const end = () => {
    timer?.cancel();
    release();
    controller.abort(new Error("the client has gone"));
  };
  if (outgoing instanceof ServerResponse && outgoing.closed) end();
  else outgoing.once("close", end);
  return controller;
}

function renderBusy(whose: "caller" | "all"): RpcFailure {
  const code = rpcCodes.serverError;
  return whose === "caller"
    ? {
        status: 429,
        code,
        message: "You have as many requests running as one caller may; try again later",
        headers: retryAfter,
      }
    : {
        status: 503,
        code,
        message: "The gateway has as many requests running as it may; try again later",
        headers: retryAfter,
      };
}

function once(onEnd: (end: ExchangeEnd) => void): (end: ExchangeEnd) => void {
  let isOver = false;
  return (end) => {
    if (isOver) return;
    isOver = true;
    onEnd(end);
  };
}

// The way to a remote server, for both eras alike: each request goes on with the configured headers, and its answer comes back as
// it is. Sessions, streams and eras are between client and server; here are only deadlines, limits and which tools are offered.
import { isJsonObject, renderRpcFailure, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { InboundRequest } from "../../lib/mcp/inbound-request.ts";
import { findNetworkProblem, renderPlace } from "../../lib/mcp/mcp-error.ts";
import { observeBody } from "../../lib/mcp/response-body.ts";
import type { SafeFetch } from "../../lib/mcp/safe-fetch.ts";
import type { Leg } from "../../lib/mcp/serve-2025.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { isEventStream } from "../../lib/process/event-stream.ts";
import type { CallOutcome } from "../relay/calls.ts";
import { unknownTool, type ToolFilter } from "../relay/tool-filter.ts";
import { renderClientHeaders } from "./remote-headers.ts";

const maxExchanges = 256;

export interface RemoteLegParts {
  readonly url: string;
  readonly forwardInboundAuth: boolean;
  readonly safeFetch: SafeFetch;
  /** For one request of a client. Rejects with a sentence that goes on "the server …". */
  readonly readHeaders: (client: Headers) => Promise<Record<string, string>>;
  readonly filter: ToolFilter;
  /** Without a byte of its answer for this long a request fails. */
  readonly timeoutMs: number;
  readonly onEnd: (outcome: CallOutcome, durationMs: number) => void;
  readonly onToolCount: (count: number) => void;
  readonly clock: Clock;
}

export function createRemoteLeg(parts: RemoteLegParts): Leg {
  const { filter } = parts;
  const running = new Set<AbortController>();
  return {
    async handle(inbound) {
      const { message } = inbound;
      const name = isJsonObject(message?.["params"]) ? message["params"]["name"] : undefined;
      if (message?.["method"] === "tools/call" && !filter.isOffered(name)) {
        parts.onEnd("refused", 0);
        const error = { code: rpcCodes.invalidParams, message: unknownTool(name) };
        return Response.json({ jsonrpc: "2.0", id: message["id"] ?? null, error });
      }
      if (running.size >= maxExchanges) {
        return fail(503, `This server works on ${maxExchanges} requests already; try again later`);
      }
      const controller = new AbortController();
      running.add(controller);
      return await exchange(inbound, parts, controller, () => running.delete(controller));
    },
    afterCall: (_inbound, onEnd) => onEnd(),
    sessionCount: () => 0,
    async close() {
      for (const controller of running) controller.abort(new Error("the bridge is shutting down"));
    },
  };
}

class Silence extends Error {}

async function exchange(
  { request, message }: InboundRequest,
  parts: RemoteLegParts,
  controller: AbortController,
  onOver: () => void,
): Promise<Response> {
  const { url, timeoutMs, clock } = parts;
  const startedAt = clock.now();
  const isStream = request.method === "GET";
  let timer: Timer | undefined;
  const arm = () => {
    timer?.cancel();
    // A stream of changes may be silent for as long as nothing changes.
    if (!isStream) timer = clock.schedule(timeoutMs, () => controller.abort(new Silence()));
  };
  const end = (outcome: CallOutcome) => {
    timer?.cancel();
    onOver();
    if (!isStream) parts.onEnd(outcome, clock.now() - startedAt);
  };
  arm();
  try {
    const headers = await parts.readHeaders(request.headers);
    const answer = await parts.safeFetch.fetch(url, {
      method: request.method,
      headers: { ...headers, ...(message !== undefined && { "content-type": "application/json" }) },
      ...(message !== undefined && { body: JSON.stringify(message) }),
      signal: AbortSignal.any([request.signal, controller.signal]),
    });
    arm();
    const passed = await renderAnswer(answer, message, parts);
    const outcome = passed.status < 400 ? "ok" : "error";
    return observeBody(passed, { onEnd: () => end(outcome), onTaken: arm }).response;
  } catch (error) {
    const isLate = controller.signal.reason instanceof Silence;
    end(isLate ? "timeout" : request.signal.aborted ? "cancelled" : "error");
    if (isLate) return fail(504, `${renderPlace(url)} did not answer within ${timeoutMs} ms`);
    const problem = findNetworkProblem(error);
    if (problem !== undefined) return fail(502, `${renderPlace(url)} is not reachable: ${problem}`);
    return fail(502, `the server ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function renderAnswer(
  answer: Response,
  message: InboundRequest["message"],
  { url, forwardInboundAuth, filter, onToolCount }: RemoteLegParts,
): Promise<Response> {
  const { status } = answer;
  if (!forwardInboundAuth && (status === 401 || status === 403)) {
    // What was refused is the bridge's, not its client's.
    await answer.body?.cancel();
    return fail(
      502,
      `${renderPlace(url)} refused the credentials of this server with HTTP ${status}: check its Secret`,
    );
  }
  const headers = renderClientHeaders(answer.headers);
  if (message?.["method"] !== "tools/list" || !answer.ok) return new Response(answer.body, { status, headers });
  const text = await answer.text();
  const read = (json: string) => renderList(json, filter, onToolCount);
  const filtered = isEventStream(answer.headers)
    ? text.replaceAll(/^data:(.*)$/gm, (_line, data: string) => `data: ${read(data)}`)
    : read(text);
  return new Response(filtered, { status, headers });
}

/** A message with the list, without what is not offered; what is none stays as it is. */
function renderList(json: string, filter: ToolFilter, onToolCount: (count: number) => void): string {
  let message: unknown;
  try {
    message = JSON.parse(json);
  } catch {
    return json;
  }
  if (!isJsonObject(message) || !isJsonObject(message["result"])) return json;
  const result = filter.apply(message["result"]);
  const { tools, nextCursor } = isJsonObject(result) ? result : { tools: undefined, nextCursor: undefined };
  if (Array.isArray(tools) && nextCursor === undefined) onToolCount(tools.length);
  return filter.isActive ? JSON.stringify({ ...message, result }) : json.trim();
}

const fail = (status: number, message: string): Response =>
  renderRpcFailure({ status, code: rpcCodes.serverError, message, headers: { "Retry-After": "5" } });

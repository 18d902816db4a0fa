// A network without sockets, with MCP servers of both eras on it that bear witness: each notes whether a request carries
// another token than the call, the session or the list it belongs to. Whoever makes it decides when requests and answers
// arrive, and which of them go wrong.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { OpenFetch, SafeRequest } from "../../lib/mcp/safe-fetch.ts";

/** What befalls one request. A call that fails with `reset-after` or `unavailable-after` was run. */
export type Fault = "none" | "reset" | "reset-after" | "unavailable" | "session-lost" | "unauthorized";

export interface WitnessOptions {
  /** By host. `expects`: "caller" for the token of the call that is served, "nothing", or the Authorization header itself. */
  servers: Readonly<Record<string, { era: "2025" | "2026"; expects: string }>>;
  nextFault(): Fault;
  /** Resolves when a request, and when its answer, may arrive. */
  pass(label: string): Promise<void>;
}

export interface TokenWitness {
  openFetch: OpenFetch;
  /** What was seen that must never be; empty when all is well. */
  readonly wrongs: string[];
  readonly counts: { requests: number; calls: number; sessions: number; lists: number; probes: number };
}

/** The tool that a server lists to the holder of a token: nobody else may ever see it. */
export const toolFor = (token: string | undefined) => `who_${token ?? "nobody"}`;

export function createTokenWitness({ servers, nextFault, pass }: WitnessOptions): TokenWitness {
  const wrongs: string[] = [];
  const counts = { requests: 0, calls: 0, sessions: 0, lists: 0, probes: 0 };
  const sessions = new Map<string, string | null>();

  function answer(host: string, request: SafeRequest, fault: Fault): Response {
    const { era, expects } = servers[host] ?? { era: "2026", expects: "nothing" };
    const headers = new Headers(request.headers);
    const authorization = headers.get("authorization");
    const check = (what: string, expected: string | null) => {
      if (authorization !== expected) wrongs.push(`${host}: ${what} had ${authorization}, not ${expected}`);
    };
    counts.requests += 1;
    const session = headers.get("mcp-session-id");
    const body: unknown = request.body === undefined ? undefined : JSON.parse(request.body);
    const { method, id, params } = readMessage(body);
    if (expects !== "caller") check(method, expects === "nothing" ? null : expects);
    if (method === "initialize" && readName(params["clientInfo"]) === "pallas-probe") {
      counts.probes += 1;
      check("a probe", expects === "caller" || expects === "nothing" ? null : expects);
      return Response.json({ jsonrpc: "2.0", id, result: {} });
    }
    if (fault === "unavailable") return new Response("try later", { status: 503 });
    if (fault === "unauthorized") return new Response(`not for ${authorization}`, { status: 401 });
    if (session !== null) {
      if (fault === "session-lost") sessions.delete(session);
      const owner = sessions.get(session);
      if (owner === undefined) return new Response("Session not found", { status: 404 });
      check(`${method} in a session`, owner);
    }
    const ok = (result: Record<string, unknown>, init?: ResponseInit) =>
      Response.json(
        { jsonrpc: "2.0", id, result: era === "2026" ? { resultType: "complete", ...result } : result },
        init,
      );
    const capabilities = { tools: {} };
    switch (method) {
      case "server/discover":
        return era === "2026"
          ? ok({ supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" })
          : new Response("Bad Request: Unsupported protocol version", { status: 400 });
      case "initialize": {
        counts.sessions += 1;
        const created = `session-${counts.sessions}`;
        sessions.set(created, authorization);
        const serverInfo = { name: "witness", version: "1" };
        const result = { protocolVersion: "2025-11-25", capabilities, serverInfo };
        return ok(result, { headers: { "mcp-session-id": created } });
      }
      case "tools/list":
        counts.lists += 1;
        return ok({
          tools: [{ name: toolFor(authorization?.slice("Bearer ".length)), inputSchema: { type: "object" } }],
          ...(era === "2026" && { ttlMs: 0, cacheScope: "private" }),
        });
      case "tools/call": {
        counts.calls += 1;
        const args = params["arguments"];
        const caller = isJsonObject(args) && typeof args["message"] === "string" ? args["message"] : undefined;
        if (expects === "caller") check("a call", caller === undefined ? null : `Bearer ${caller}`);
        return ok({ content: [{ type: "text", text: caller ?? "nobody" }] });
      }
      default:
        return new Response(null, { status: method.startsWith("notifications/") ? 202 : 405 });
    }
  }

  const openFetch: OpenFetch = () => {
    const closing = new AbortController();
    return {
      async fetch(url, request) {
        const { host } = new URL(url);
        const signal = AbortSignal.any([closing.signal, ...(request.signal ? [request.signal] : [])]);
        await pass(`to ${host}`);
        signal.throwIfAborted();
        const fault = nextFault();
        if (fault === "reset") throw new TypeError("fetch failed");
        const response = answer(host, request, fault);
        await pass(`from ${host}`);
        signal.throwIfAborted();
        if (fault === "reset-after") throw new TypeError("fetch failed");
        return response;
      },
      close: async () => closing.abort(),
    };
  };
  return { openFetch, wrongs, counts };
}

function readMessage(body: unknown): { method: string; id: unknown; params: Record<string, unknown> } {
  const message = isJsonObject(body) ? body : {};
  const params = isJsonObject(message["params"]) ? message["params"] : {};
  return { method: typeof message["method"] === "string" ? message["method"] : "none", id: message["id"], params };
}

const readName = (info: unknown) => (isJsonObject(info) ? info["name"] : undefined);

// Asks whether an MCP server is there (HLT-3): `initialize` over plain HTTP, then the session is ended again.
// No SDK, no user token, no retry; link-local and metadata addresses are refused as everywhere (SEC-5).
import { findFormProblem } from "./answer-form.ts";
import { isJsonObject, rpcCodes } from "./json-rpc.ts";
import { findNetworkProblem } from "./mcp-error.ts";
import { createSafeFetch, type OpenFetch, type SafeFetch } from "./safe-fetch.ts";
import { createSentHeaders, fetchWithHeaders, type HeaderSource } from "./sent-headers.ts";
import { systemClock } from "../process/clock.ts";
import { untilAborted } from "../process/until-aborted.ts";

export interface ProbeOptions {
  url: string;
  headers?: HeaderSource;
  /** For the whole probe. */
  timeoutMs: number;
  /** True for a server that wants the user's own token: 401 and 403 then show that it is there. */
  forwardsInboundAuth: boolean;
  /** In place of the network. */
  openFetch?: OpenFetch | undefined;
}

export interface ProbeResult {
  reachable: boolean;
  latencyMs: number;
  /** Why it is unreachable, in a few words, without secrets. */
  detail?: string;
}

const maxErrorBodyBytes = 64 * 1024;
const accept = "application/json, text/event-stream";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "pallas-probe", version: "1.0.0" },
  },
};

/** Probes one server. Never rejects. The latency is that of the answer to `initialize`. */
export async function probeMcp(options: ProbeOptions): Promise<ProbeResult> {
  const { url, headers = {}, timeoutMs, forwardsInboundAuth, openFetch = createSafeFetch } = options;
  const startedAt = systemClock.now();
  const measure = () => Math.round(systemClock.now() - startedAt);
  const signal = AbortSignal.timeout(timeoutMs);
  const safeFetch = openFetch({ connectTimeoutMs: timeoutMs, maxResponseBytes: maxErrorBodyBytes });
  try {
    const asked = fetchWithHeaders(createSentHeaders(headers), (own) =>
      safeFetch.fetch(url, {
        method: "POST",
        headers: { ...own, accept, "content-type": "application/json" },
        body: JSON.stringify(initialize),
        signal,
      }),
    );
    const { headers: own, answer: response } = await untilAborted(asked, signal);
    const latencyMs = measure();
    const detail = await judge(response, forwardsInboundAuth);
    await endSession(safeFetch, url, own, response, signal);
    return detail === undefined ? { reachable: true, latencyMs } : { reachable: false, latencyMs, detail };
  } catch (error) {
    const problem = findNetworkProblem(error) ?? (error instanceof Error ? error.message : String(error));
    return {
      reachable: false,
      latencyMs: measure(),
      detail: signal.aborted ? `no answer in ${timeoutMs} ms` : problem,
    };
  } finally {
    await safeFetch.close();
  }
}

/** What makes the answer count as unreachable; undefined when it does not. */
async function judge(response: Response, forwardsInboundAuth: boolean): Promise<string | undefined> {
  const { ok, status } = response;
  if (ok) return findFormProblem(response);
  const isReachable =
    (forwardsInboundAuth && (status === 401 || status === 403)) ||
    (status === 400 && (await readErrorCode(response)) === rpcCodes.unsupportedProtocolVersion);
  return isReachable ? undefined : `HTTP ${status}`;
}

/** The JSON-RPC error code in a body; undefined when it holds none. */
async function readErrorCode(response: Response): Promise<unknown> {
  try {
    const body: unknown = await response.json();
    return isJsonObject(body) && isJsonObject(body["error"]) ? body["error"]["code"] : undefined;
  } catch {
    return undefined;
  }
}

/** A server that never heard of sessions, or is slow to end one, is no less reachable: what goes wrong here is ignored. */
async function endSession(
  safeFetch: SafeFetch,
  url: string,
  headers: Record<string, string>,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  const sessionId = response.headers.get("mcp-session-id");
  if (sessionId === null) return;
  try {
    await safeFetch.fetch(url, {
      method: "DELETE",
      headers: { ...headers, accept, "mcp-session-id": sessionId },
      signal,
    });
  } catch {
    return;
  }
}

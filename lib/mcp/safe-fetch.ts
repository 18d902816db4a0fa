/**
 * A fetch for URLs that users wrote: no link-local or metadata address, not by name and not by redirect (SEC-5), and no
 * header with a secret to another origin (BRR-3). It follows at most five redirects, and only those that keep the method.
 * Proxies come from the environment (HTTPS_PROXY, NO_PROXY); a proxy resolves names itself, so there only literals are checked.
 */
import type { LookupFunction } from "node:net";
import { EnvHttpProxyAgent, fetch, type RequestInit } from "undici";
import { guardLookup, refuseLiteral } from "./refused-addresses.ts";
import { limitResponse } from "./response-limit.ts";

export interface SafeRequest {
  method?: string;
  headers?: HeadersInit;
  body?: string;
  signal?: AbortSignal | null;
}

export interface SafeFetch {
  /** Rejects like fetch does; the causes are in the error's `cause`. Redirects have been followed in what it resolves to. */
  fetch(url: string | URL, request: SafeRequest): Promise<Response>;
  /** Drops all connections; requests still running fail. */
  close(): Promise<void>;
}

/** How a connection gets its fetch; tests hand in one without a network. */
export type OpenFetch = (options: SafeFetchOptions) => SafeFetch;

export interface SafeFetchOptions {
  connectTimeoutMs: number;
  /** Largest accepted response body; of an event stream, the largest single event. */
  responseLimitBytes: number;
  /** How names are resolved; the system's look-up when absent. */
  lookup?: LookupFunction;
}

const maxRedirects = 5;

/** What another origin may see. An allow-list: any other header may be a secret of the first origin. */
const portableHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  // h1 only: a black-holed h2 connection is never replaced. Deadlines are the caller's, so that silent streams may stay open.
  const agent = new EnvHttpProxyAgent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    noProxy: renderNoProxy(process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? ""),
    connect: { timeout: options.connectTimeoutMs, lookup: guardLookup(options.lookup) },
  });
  return {
    async fetch(url, { method = "GET", headers, body, signal }) {
      const current = { url: new URL(url), headers: new Headers(headers) };
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        refuseLiteral(current.url);
        const init: RequestInit = {
          method,
          headers: [...current.headers],
          redirect: "manual",
          dispatcher: agent,
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        };
        const answer = await fetch(current.url, init);
        const location = answer.headers.get("location");
        if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) {
          return limitResponse(answer, options.responseLimitBytes);
        }
        await answer.body?.cancel();
        followRedirect(current, new URL(location, current.url), answer.status, method);
      }
      throw new RedirectError(`more than ${maxRedirects} redirects, the last one to ${current.url.origin}`);
    },
    close: () => agent.destroy(),
  };
}

/** Loopback is never behind a proxy: agents of the local mode call each other there. */
function renderNoProxy(configured: string): string {
  return configured.trim() === "*" ? "*" : `${configured},localhost,127.0.0.1,::1`;
}

/** A redirect that is not followed. Its code puts it among network faults. */
class RedirectError extends Error {
  override readonly name = "RedirectError";
  readonly code = "EREDIRECT";
}

function followRedirect(current: { url: URL; headers: Headers }, next: URL, status: number, method: string): void {
  const { url, headers } = current;
  if (next.protocol !== "https:" && next.protocol !== url.protocol) {
    throw new RedirectError(`a redirect from ${url.origin} to ${next.protocol} was refused: it would leave encryption`);
  }
  if (method === "POST" && status !== 307 && status !== 308) {
    const text = `HTTP ${status} to ${next.origin}${next.pathname} would turn the POST into a GET; configure that URL instead`;
    throw new RedirectError(text);
  }
  if (next.origin !== url.origin) {
    current.headers = new Headers([...headers].filter(([name]) => portableHeaders.has(name)));
  }
  current.url = next;
}

// The fetch of everything that goes out over HTTP: no connection of it reaches a link-local or metadata address, by whatever
// name, redirect or proxy it was led there (SEC-5), and no answer is larger than the limit (SEC-6). It follows no redirect by
// itself, has no deadline but that of connecting, and goes through the proxy of the environment; a proxy resolves names
// itself, so there only literals are checked.
import type { LookupFunction } from "node:net";
import { EnvHttpProxyAgent, fetch, type Dispatcher } from "undici";
import { defined } from "../process/defined.ts";
import { parseProxyEnvironment } from "./proxy-environment.ts";
import { guardLookup, refuseLiteral } from "./refused-addresses.ts";
import { limitResponse, type AnswerRoom } from "./response-limit.ts";

export interface OutgoingRequest {
  method?: string;
  headers?: HeadersInit | undefined;
  body?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal | null | undefined;
  /** Counts the answer's body; nobody does when absent. */
  room?: AnswerRoom | undefined;
}

export interface GuardedFetch {
  /** Rejects like fetch does; the causes are in the error's `cause`. A redirect is an answer like any other. */
  fetch(url: string | URL, request: OutgoingRequest): Promise<Response>;
  /** Drops all connections; requests still running fail. */
  close(): Promise<void>;
}

export interface GuardedFetchOptions {
  connectTimeoutMs: number;
  /** Largest accepted response body; of an event stream, the largest single event. */
  maxResponseBytes: number;
  /** How names are resolved; the system's look-up when absent. */
  lookup?: LookupFunction | undefined;
}

/** Where the connections are made: nothing is dispatched to a refused literal, and no name is resolved to a refused address. */
class GuardedDispatcher extends EnvHttpProxyAgent {
  readonly #proxies: readonly string[];

  constructor({ connectTimeoutMs: timeout, lookup }: GuardedFetchOptions) {
    const { https, http, noProxy } = parseProxyEnvironment(process.env);
    const guarded = { timeout, lookup: guardLookup(lookup) };
    super({
      // h1 only: a black-holed h2 connection is never replaced. Deadlines are the caller's, so that silent streams may stay open.
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      httpsProxy: https ?? "",
      httpProxy: http ?? "",
      noProxy,
      connect: guarded,
      proxyTls: guarded,
    });
    this.#proxies = [https, http].flatMap((proxy) => (proxy === undefined ? [] : [new URL(proxy).hostname]));
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.origin !== undefined) refuseLiteral(new URL(options.origin).hostname);
    this.#proxies.forEach(refuseLiteral);
    return super.dispatch(options, handler);
  }
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const dispatcher = new GuardedDispatcher(options);
  return {
    async fetch(url, { method = "GET", headers, body, signal, room }) {
      const answer = await fetch(url, {
        method,
        headers: [...new Headers(headers)],
        redirect: "manual",
        dispatcher,
        ...defined({ body }),
        ...(signal && { signal }),
      });
      return limitResponse(answer, options.maxResponseBytes, room);
    },
    close: () => dispatcher.destroy(),
  };
}

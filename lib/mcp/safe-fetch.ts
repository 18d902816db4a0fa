// A fetch for URLs that users wrote: the guarded fetch of everything that goes out (SEC-5, SEC-6), which follows at most five
// redirects, of the same host only and only those that keep the method, and carries no header with a secret to another origin
// (BRR-3).
import { createGuardedFetch, type GuardedFetchOptions } from "../outgoing/guarded-fetch.ts";
import type { AnswerRoom } from "../outgoing/response-limit.ts";
import { judgeRedirect, parseLocation, RedirectError, renderCarried } from "./redirect.ts";

export interface SafeRequest {
  method?: string;
  headers?: HeadersInit;
  body?: string;
  signal?: AbortSignal | null;
  room?: AnswerRoom | undefined;
}

export interface SafeFetch {
  /** Rejects like fetch does; the causes are in the error's `cause`. Redirects have been followed in what it resolves to. */
  fetch(url: string | URL, request: SafeRequest): Promise<Response>;
  /** Drops all connections; requests still running fail. */
  close(): Promise<void>;
}

/** How a connection gets its fetch; tests hand in one without a network. */
export type OpenFetch = (options: GuardedFetchOptions) => SafeFetch;

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createSafeFetch(options: GuardedFetchOptions): SafeFetch {
  const guarded = createGuardedFetch(options);
  return {
    async fetch(url, { method = "GET", headers: wanted, ...request }) {
      let current = new URL(url);
      let headers = new Headers(wanted);
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const answer = await guarded.fetch(current, { ...request, method, headers });
        const { status } = answer;
        const location = answer.headers.get("location");
        if (!redirects.has(status) || location === null) return answer;
        await answer.body?.cancel();
        const next = parseLocation(location, current);
        judgeRedirect({ from: current, to: next, status, method });
        headers = renderCarried(headers, { from: current, to: next });
        current = next;
      }
      throw new RedirectError(`more than ${maxRedirects} redirects, the last one to ${current.origin}`);
    },
    close: guarded.close,
  };
}

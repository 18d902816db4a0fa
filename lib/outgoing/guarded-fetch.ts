// The fetch of everything that goes out over HTTP: no connection of it reaches a link-local or metadata address, by whatever
// name, redirect or proxy it was led there (SEC-5), and no answer is larger than the limit (SEC-6). It follows no redirect by
// itself, has no deadline but that of connecting, and goes through the proxy of the environment; a proxy resolves names
// itself, so there only literals are checked.
import type { LookupFunction } from "node:net";
import { fetch } from "undici";
import { defined } from "../process/defined.ts";
import { GuardedDispatcher } from "./guarded-dispatcher.ts";
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

// Sends a request on as it comes in, body and answer as streams, over kept connections (SEC-5). It holds nothing back, reads
// ahead no more than a stream's own buffer, follows no redirect and sends nothing twice. What is in a request, and how long an
// answer may take, is its caller's to decide.
import type { Readable } from "node:stream";
import { GuardedDispatcher } from "./guarded-dispatcher.ts";

export interface ForwardedRequest {
  method: "GET" | "POST" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: Readable | Buffer | undefined;
  /** Ends the request, and the answer's body while it is read. */
  signal: AbortSignal;
}

export interface ForwardedAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whoever asked reads it to its end or destroys it. */
  body: Readable;
}

export interface Forwarder {
  /** Rejects where no answer began: with what `request.body` or the signal failed with, or with a fault of the network. */
  forward(url: URL, request: ForwardedRequest): Promise<ForwardedAnswer>;
  /** Drops all connections; requests still running fail. */
  close(): Promise<void>;
}

export function createForwarder(options: { connectTimeoutMs: number }): Forwarder {
  const dispatcher = new GuardedDispatcher(options);
  return {
    async forward({ origin, pathname, search }, { method, headers, body, signal }) {
      const answer = await dispatcher.request({
        origin,
        path: `${pathname}${search}`,
        method,
        headers: { ...headers },
        body: body ?? null,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: () => dispatcher.destroy(),
  };
}

const unreachableCodes: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"],
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether nothing of a request that failed can have arrived, because nobody was there to take it. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnreachable);
  return error instanceof Error && "code" in error && unreachableCodes.has(error.code);
}

// HTTP to one API server: calls with a deadline that obey Retry-After, and watches as streams of lines. Returns parsed
// JSON and throws `ApiError` or `TransportError`; what the JSON means, and any retry of a failure, is the caller's.
import type { Dispatcher } from "undici";
import { ApiError, CallRefused, parseErrorResponse, TransportError } from "./api-error.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { Deadline } from "./deadline.ts";
import { readLines } from "./lines.ts";
import type { KubeMetrics } from "./metrics.ts";
import { askBeforeSending, PoolCache } from "./pools.ts";
import { sleep, systemClock, type Clock } from "../process/clock.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From `/api` or `/apis` on; see resource.ts. */
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** The form of the answer; by default the whole object in JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** For the whole call, repeated tries and their pauses included. */
  readonly timeoutMs?: number;
  /** Asked at each try, at the last instant before the first byte is sent. What it gives back is why not: `CallRefused`. */
  readonly mayStart?: () => string | undefined;
}

export interface WatchCall {
  readonly path: string;
  readonly query?: Query;
  readonly signal: AbortSignal;
  /** The stream fails after this long without a byte. */
  readonly inactivityMs: number;
  /** Limit for the server's acceptance. */
  readonly openTimeoutMs?: number;
}

export interface Transport {
  /**
   * The parsed JSON of a 2xx answer, undefined for an empty one. 429, and 503 with Retry-After, are tried again within
   * the deadline. Throws `ApiError` for other answers, `TransportError` for none, the signal's reason when aborted,
   * `CallRefused` when `mayStart` says no.
   */
  request(call: Call): Promise<unknown>;
  /** Resolves once the server has accepted the watch; the lines end when the server ends them. Throws like `request`. */
  watch(call: WatchCall): Promise<AsyncIterable<string>>;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly kubeConfig: ClusterConfig;
  /** `program/version`. */
  readonly userAgent: string;
  readonly metrics?: KubeMetrics;
  readonly clock?: Clock;
  /** Default deadline of a call. */
  readonly timeoutMs?: number;
  /** Tries of one call, the first included. */
  readonly maxTries?: number;
  readonly maxLineBytes?: number;
}

const defaultTimeoutMs = 30_000;
const defaultOpenTimeoutMs = 15_000;
const defaultMaxTries = 5;
const defaultMaxLineBytes = 16 * 1024 * 1024;
/** What is longer is no Status object; its start is enough for a message. */
const maxErrorBodyBytes = 1024 * 1024;
/** Where 429 comes without Retry-After. */
const defaultRetryAfterMs = 1_000;
const credentialsKeptMs = 10_000;

export function createTransport(options: TransportOptions): Transport {
  return new PooledTransport(options);
}

class PooledTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #credentials: CredentialSource;
  readonly #pools = new PoolCache();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#credentials = createCredentialSource(options.kubeConfig, this.#clock, credentialsKeptMs);
  }

  async request(call: Call): Promise<unknown> {
    const deadline = new Deadline({
      clock: this.#clock,
      timeoutMs: call.timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs,
      parent: call.signal,
      describe: `${call.method} ${call.path}`,
    });
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#send(call, deadline);
        } catch (error) {
          const pauseMs = this.#pauseBeforeRetryMs(error, attempt);
          if (pauseMs === undefined || pauseMs >= deadline.remainingMs) throw error;
          await sleep(this.#clock, pauseMs, deadline.signal);
        }
      }
    } finally {
      deadline.dispose();
    }
  }

  async watch(call: WatchCall): Promise<AsyncIterable<string>> {
    const deadline = new Deadline({
      clock: this.#clock,
      timeoutMs: call.openTimeoutMs ?? defaultOpenTimeoutMs,
      parent: call.signal,
      describe: `watch ${call.path}`,
    });
    try {
      const answer = await this.#exchange(
        { method: "GET", path: call.path, query: { ...call.query, watch: 1 } },
        deadline,
        "watches",
      );
      deadline.restart(call.inactivityMs);
      return this.#lines(answer.body, deadline, call);
    } catch (error) {
      deadline.dispose();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pools.close();
  }

  async #send(call: Call, deadline: Deadline): Promise<unknown> {
    const answer = await this.#exchange(call, deadline, "calls");
    const text = await guard(`${call.method} ${call.path}`, deadline, () => answer.body.text());
    if (text === "") return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      const quote = text.slice(0, 100);
      throw new TransportError(`${call.method} ${call.path}: expected JSON, found "${quote}"; is this an API server?`, {
        cause,
      });
    }
  }

  /** One request up to its headers; an answer other than 2xx is thrown. */
  async #exchange(call: Call, deadline: Deadline, pool: "calls" | "watches"): Promise<Dispatcher.ResponseData> {
    const context = `${call.method} ${call.path}`;
    let code = "<error>";
    try {
      return await guard(context, deadline, async () => {
        const credentials = await this.#credentials.current();
        const answer = await askBeforeSending(this.#pools.for(credentials)[pool], call.mayStart).request({
          method: call.method,
          path: `${credentials.pathPrefix}${call.path}${renderQuery(call.query)}`,
          headers: {
            ...credentials.headers,
            accept: call.accept ?? "application/json",
            "user-agent": this.#options.userAgent,
            ...(call.body === undefined ? {} : { "content-type": call.contentType ?? "application/json" }),
          },
          body: call.body === undefined ? null : JSON.stringify(call.body),
          signal: deadline.signal,
        });
        code = String(answer.statusCode);
        if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
        // The next try, whoever makes it, reads the token anew.
        if (answer.statusCode === 401) this.#credentials.invalidate();
        const retryAfter = answer.headers["retry-after"];
        const text = await readStart(answer.body, maxErrorBodyBytes);
        throw parseErrorResponse(
          context,
          answer.statusCode,
          text,
          Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        );
      });
    } catch (error) {
      // It may be the certificate authority that has changed.
      if (error instanceof TransportError) this.#credentials.invalidate();
      throw error;
    } finally {
      this.#options.metrics?.requested(call.method, code);
    }
  }

  async *#lines(body: AsyncIterable<Uint8Array>, deadline: Deadline, call: WatchCall): AsyncGenerator<string> {
    const lines = readLines(
      restarting(body, deadline, call.inactivityMs),
      this.#options.maxLineBytes ?? defaultMaxLineBytes,
    );
    try {
      for (;;) {
        const next = await guard(`watch ${call.path}`, deadline, () => lines.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      deadline.dispose();
      await lines.return(undefined);
    }
  }

  /** Undefined when trying again is not the transport's business. A refused token is tried anew, once. */
  #pauseBeforeRetryMs(error: unknown, attempt: number): number | undefined {
    if (!(error instanceof ApiError) || attempt >= (this.#options.maxTries ?? defaultMaxTries)) return undefined;
    if (error.status === 401 && attempt === 1) return 0;
    const asked = error.retryAfterMs;
    if (error.status !== 429 && (error.status !== 503 || asked === undefined)) return undefined;
    // Upward jitter only: never earlier than asked, and not all clients at once.
    return (asked ?? defaultRetryAfterMs) * (1 + 0.2 * Math.random());
  }
}

/**
 * Gives every failure of `work` its meaning: an API answer, the caller's abort, the deadline, or the network. Does not
 * rely on `work` to obey: undici lets a request that waits for a connection overlook its abort.
 */
async function guard<T>(context: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
  try {
    return await unlessAborted(deadline.signal, work);
  } catch (cause) {
    if (cause instanceof ApiError || cause instanceof TransportError || cause instanceof CallRefused) throw cause;
    if (deadline.expired) {
      throw new TransportError(deadline.signal.reason instanceof Error ? deadline.signal.reason.message : context, {
        cause,
        timedOut: true,
      });
    }
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw new TransportError(`${context}: no answer from the API server: ${messageOf(cause)}`, { cause });
  }
}

async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
}

async function* restarting(
  chunks: AsyncIterable<Uint8Array>,
  deadline: Deadline,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    deadline.restart(timeoutMs);
    yield chunk;
  }
}

function renderQuery(query: Query | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

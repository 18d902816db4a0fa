// Requests of the bridge's own to a shared process, each in a view of its own: for callers of the 2026 era, and to see whether
// the server is there. Each has a deadline, which begins anew with progress and rests while its caller is asked.
import type { Ask } from "../../lib/mcp/asking.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { Progress } from "../../lib/mcp/table.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { CallOutcome } from "../relay/calls.ts";
import type { Peer } from "../relay/peer.ts";
import type { Message } from "../stdio/messages.ts";
import { renderLoss, type ProcessEvents } from "../stdio/server-process.ts";
import type { SharedServer } from "./shared-server.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly meta?: Record<string, unknown> | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Absent: what the server asks is refused. */
  readonly ask?: Ask | undefined;
}

export interface SharedClientParts {
  readonly shared: SharedServer;
  readonly timeoutMs: number;
  readonly onCallEnd: (outcome: CallOutcome, durationMs: number) => void;
  readonly clock: Clock;
}

export type Result = Record<string, unknown>;

export interface SharedClient {
  /** Rejects with a JsonRpcError: the server's own, or why there is no answer. */
  request(method: string, params: Message["params"], options?: RequestOptions): Promise<Result>;
}

export function createSharedClient(parts: SharedClientParts): SharedClient {
  return {
    async request(method, params, options = {}) {
      const startedAt = parts.clock.now();
      const end = (outcome: CallOutcome) => parts.onCallEnd(outcome, parts.clock.now() - startedAt);
      const request = new SharedRequest(method, parts, options);
      try {
        const result = await request.run(params);
        end("ok");
        return result;
      } catch (error) {
        end(request.outcome);
        throw error;
      }
    },
  };
}

class SharedRequest {
  outcome: CallOutcome = "error";
  readonly #method: string;
  readonly #parts: SharedClientParts;
  readonly #options: RequestOptions;
  readonly #answer = Promise.withResolvers<Result>();
  readonly #ending = new AbortController();
  #peer: Peer | undefined;
  #timer: Timer | undefined;
  #asking = 0;

  constructor(method: string, parts: SharedClientParts, options: RequestOptions) {
    this.#method = method;
    this.#parts = parts;
    this.#options = options;
    this.#answer.promise.catch(() => undefined);
  }

  async run(params: Message["params"]): Promise<Result> {
    const { signal, meta } = this.#options;
    const onAbort = () => this.#fail("cancelled", rpcCodes.serverError, "the caller cancelled the call");
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#peer = await this.#parts.shared.open(this.#events());
      signal?.throwIfAborted();
      this.#arm();
      const sent = { ...params, _meta: { ...meta, progressToken: 1 } };
      this.#peer.send({ id: 1, method: this.#method, params: sent });
      return await this.#answer.promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#timer?.cancel();
      this.#ending.abort();
      // What still runs of it is cancelled.
      await this.#peer?.end();
    }
  }

  #events(): ProcessEvents {
    return {
      onMessage: ({ message }) => this.#receive(message),
      onRefused: ({ why }) => {
        const text = `The server's answer is too large to be passed on: ${why}; ask for less`;
        this.#fail("refused", rpcCodes.serverError, text);
      },
      onEnd: (why) => {
        const { code, message } = renderLoss(why);
        this.#fail("lost", code, message);
      },
    };
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method === undefined) {
      if (error === undefined) this.#answer.resolve(isJsonObject(result) ? result : {});
      else this.#answer.reject(readError(error));
    } else if (id !== undefined) {
      void this.#ask(id, method, params ?? {});
    } else if (method === "notifications/progress") {
      this.#arm();
      const progress = readProgress(params);
      if (progress !== undefined) this.#options.onProgress?.(progress);
    }
  }

  async #ask(id: NonNullable<Message["id"]>, method: string, params: Record<string, unknown>): Promise<void> {
    const { ask } = this.#options;
    const refuse = (message: string) => this.#peer?.send({ id, error: { code: rpcCodes.methodNotFound, message } });
    if (ask === undefined || (method !== "elicitation/create" && method !== "sampling/createMessage")) {
      return refuse(`this call's caller did not say that it answers ${method}`);
    }
    this.#asking += 1;
    try {
      const result = await ask({ method, params }, this.#ending.signal);
      this.#peer?.send({ id, result });
    } catch (error) {
      refuse(error instanceof JsonRpcError ? error.message : "the caller gave no answer");
    } finally {
      this.#asking -= 1;
      this.#arm();
    }
  }

  #arm(): void {
    const { clock, timeoutMs } = this.#parts;
    this.#timer?.cancel();
    if (this.#ending.signal.aborted) return;
    this.#timer = clock.schedule(timeoutMs, () => {
      if (this.#asking > 0) return this.#arm();
      const text = `The server did not answer ${this.#method} within ${timeoutMs} ms, nor report progress`;
      this.#fail("timeout", rpcCodes.serverError, text);
    });
  }

  #fail(outcome: CallOutcome, code: number, message: string): void {
    this.outcome = outcome;
    this.#answer.reject(new JsonRpcError(code, message));
  }
}

function readError(error: unknown): JsonRpcError {
  const { code, message, data } = isJsonObject(error)
    ? error
    : { code: undefined, message: undefined, data: undefined };
  return new JsonRpcError(
    typeof code === "number" ? code : rpcCodes.internalError,
    typeof message === "string" ? message : "the server refused without a reason",
    isJsonObject(data) ? { data } : {},
  );
}

function readProgress(params: Message["params"]): Progress | undefined {
  const { progress, total, message, _meta: meta } = params ?? {};
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...defined({ total: typeof total === "number" ? total : undefined }),
    ...defined({ message: typeof message === "string" ? message : undefined }),
    ...defined({ meta: isJsonObject(meta) ? meta : undefined }),
  };
}

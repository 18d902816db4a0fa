// Starts the server's processes and makes them answer `initialize`, within a deadline and no faster than its back-off allows.
// It knows whether the server can be had now and why not, which is the bridge's health.
import { rpcCodes, JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import { Backoff } from "../../lib/kube/backoff.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ErrorLog } from "./error-log.ts";
import type { Message, Received, RpcId } from "./messages.ts";
import type { Launch, ProcessEvents, ServerProcess } from "./server-process.ts";
import type { ShowText } from "./shown-text.ts";
import { findTellingLine } from "./telling-line.ts";

export interface Started {
  readonly process: ServerProcess;
  /** The server's answer to `initialize`. */
  readonly answer: Received;
}

/** The request that a process is to answer first. */
export interface Initialize {
  readonly id: RpcId;
  readonly text: string;
}

export interface StartCounts {
  onStart(outcome: "ok" | "failed"): void;
}

export interface StartsParts {
  readonly launch: Launch;
  /** For a process to answer `initialize`. */
  readonly startTimeoutMs: number;
  /** A line in it says most of a start that failed. */
  readonly errorLog: Pick<ErrorLog, "mark">;
  readonly counts: StartCounts;
  readonly log: Logger;
  readonly clock: Clock;
  /** Hears that a start failed, and after what time there may be another. */
  readonly onFailed: (retryMs: number) => void;
}

export interface StartsState {
  readonly status: "ok" | "starting" | "down";
  readonly message?: string;
}

/** Each delay is up to a quarter shorter: servers that fail together are not started together again. */
export const backoff = { initialMs: 1_000, maxMs: 60_000 };

const maxProblemChars = 300;

export class Starts {
  readonly #parts: StartsParts;
  readonly #running = new Set<ServerProcess>();
  #state: StartsState = { status: "starting" };
  readonly #backoff = new Backoff(backoff);
  /** Set while the last start has failed. */
  #retryAt: number | undefined;
  #isClosed = false;
  /** Until the server has answered they start one after the other: the first may have to fetch a package. */
  #alone: Promise<unknown> | undefined;

  constructor(parts: StartsParts) {
    this.#parts = parts;
  }

  /** Whether the server can be had now, and why not. */
  get state(): StartsState {
    return this.#state;
  }

  /** Processes that run. */
  get count(): number {
    return this.#running.size;
  }

  /** Rejects with a JsonRpcError that says why there is no process. Its events are heard from when it has resolved. */
  async start(initialize: Initialize, events: ProcessEvents): Promise<Started> {
    for (let before = this.#alone; before !== undefined; before = this.#alone) await before.catch(() => undefined);
    this.#refuseForNow();
    const started = this.#startNow(initialize, events);
    if (this.#state.status === "ok") return await started;
    this.#alone = started;
    try {
      return await started;
    } finally {
      this.#alone = undefined;
    }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((process) => process.end()));
  }

  #refuseForNow(): void {
    if (this.#isClosed) throw new JsonRpcError(rpcCodes.serverError, "the bridge is shutting down");
    const waitMs = (this.#retryAt ?? 0) - this.#parts.clock.now();
    if (this.#retryAt === undefined || waitMs <= 0) return;
    const why = this.#state.message ?? "the server could not be started";
    throw new JsonRpcError(rpcCodes.serverError, `${why}; it is started again in ${Math.ceil(waitMs / 1_000)} s`);
  }

  async #startNow(initialize: Initialize, events: ProcessEvents): Promise<Started> {
    const { launch, clock, counts, startTimeoutMs, errorLog } = this.#parts;
    const readErrors = errorLog.mark();
    const answered = Promise.withResolvers<Received>();
    const held = holdUntilAnswered(initialize.id, answered, events);
    const timer = clock.schedule(startTimeoutMs, () => {
      answered.reject(new Error(`did not answer initialize within ${startTimeoutMs} ms`));
    });
    let process: ServerProcess | undefined;
    try {
      process = await launch({
        ...held.events,
        onEnd: (why) => {
          if (process !== undefined) this.#running.delete(process);
          held.events.onEnd(why);
        },
      });
      this.#running.add(process);
      if (this.#isClosed) throw new Error("was not wanted any more");
      process.send(initialize.text);
      const answer = await answered.promise;
      if (answer.message.error !== undefined) {
        throw new Refusal(`refused initialize: ${renderProblem(answer.message, process.showText)}`);
      }
      this.#backoff.reset();
      this.#retryAt = undefined;
      this.#state = { status: "ok" };
      counts.onStart("ok");
      held.open();
      return { process, answer };
    } catch (error) {
      held.drop();
      await process?.end();
      throw this.#fail(error, findTellingLine(readErrors()));
    } finally {
      timer.cancel();
    }
  }

  #fail(error: unknown, line: string | undefined): JsonRpcError {
    const { clock, counts, log, onFailed } = this.#parts;
    const why = error instanceof Error ? error.message : String(error);
    // What one client asks for wrongly says nothing about the next.
    if (error instanceof Refusal && this.#state.status === "ok") {
      return new JsonRpcError(rpcCodes.invalidParams, `the server's process ${why}`);
    }
    const retryMs = Math.round(this.#backoff.nextMs());
    this.#retryAt = clock.now() + retryMs;
    const message = `the server's process ${why}${line === undefined ? "" : `; it wrote to standard error: ${line}`}`;
    this.#state = { status: "down", message };
    counts.onStart("failed");
    if (!this.#isClosed) {
      log.warn({ problem: message, retryMs }, "server could not be started");
      onFailed(retryMs);
    }
    return new JsonRpcError(rpcCodes.serverError, message);
  }
}

/** The process runs, and does not like how it was asked. */
class Refusal extends Error {}

/** Passes nothing on until the answer to `initialize` is there and it is opened; nothing ever once it is dropped. */
function holdUntilAnswered(id: RpcId, answered: PromiseWithResolvers<Received>, events: ProcessEvents) {
  let mode: "waiting" | "open" | "dropped" = "waiting";
  let ended: string | undefined;
  // Whoever waits hears of it; nobody may.
  answered.promise.catch(() => undefined);
  const held: ProcessEvents = {
    onMessage(received) {
      if (mode === "open") events.onMessage(received);
      else if (received.message.method === undefined && received.message.id === id) answered.resolve(received);
    },
    onRefused(refused) {
      if (mode === "open") events.onRefused(refused);
      else answered.reject(new Error(`sent a message that is too large: ${refused.why}`));
    },
    onEnd(why) {
      ended = why;
      if (mode === "open") events.onEnd(why);
      answered.reject(new Error(`${why} before it answered initialize`));
    },
  };
  return {
    events: held,
    open() {
      mode = "open";
      // It may have ended between its answer and now: whoever started it must know it first.
      if (ended !== undefined) queueMicrotask(() => events.onEnd(ended ?? ""));
    },
    drop: () => void (mode = "dropped"),
  };
}

function renderProblem({ error }: Message, showText: ShowText): string {
  const text = typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
  return typeof text === "string" ? showText(text).slice(0, maxProblemChars) : "without a reason";
}

// Calls of the 2026 era that ask their caller something: the request ends with the questions, the call waits in memory, and
// the caller's next request brings the answers and goes on with it. A call belongs to the caller who began it and to this
// process; one whose caller does not come back is ended.
import type { Clock, Timer } from "../process/clock.ts";
import type { Asking, Askable, Question } from "./asking.ts";
import type { ProgressParams } from "./dispatch.ts";
import type { Caller } from "./caller.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { isOwnedBy, mintOwnedId } from "./owned-id.ts";
import type { ToolResult } from "./table.ts";

/** The HTTP request that a call is answered on now. */
export interface Attachment {
  caller: Caller;
  /** Aborts when the caller is gone, which ends the call. */
  signal: AbortSignal;
  progressToken: unknown;
  notifyProgress(params: ProgressParams): Promise<void>;
}

/** What the call is given in place of its first request's own. */
export interface CallParts {
  signal: AbortSignal;
  asking: Asking;
  notifyProgress(params: ProgressParams): Promise<void>;
}

export type Outcome = { result: ToolResult } | { questions: Record<string, Question>; state: string };

export interface SuspendedCalls {
  /** Runs a call until it ends or asks. */
  begin(can: Askable, run: (parts: CallParts) => Promise<ToolResult>, on: Attachment): Promise<Outcome>;
  /** Goes on with a call that asked. Rejects with JsonRpcError when it does not wait here for this caller. */
  resume(state: string, answers: Readonly<Record<string, unknown>>, on: Attachment): Promise<Outcome>;
  /** Ends all calls. */
  close(): void;
}

export interface SuspensionLimits {
  /** Calls that wait for their callers at a time. */
  max: number;
  /** How long one waits, unless its questions say that they may take longer. */
  ttlMs: number;
}

interface Pending {
  question: Question;
  answer: PromiseWithResolvers<Record<string, unknown>>;
}

/** None waits yet. */
export function createSuspendedCalls(limits: SuspensionLimits, clock: Clock): SuspendedCalls {
  const waiting = new Map<string, Call>();
  const suspend = (call: Call, caller: Caller): string => {
    const state = mintOwnedId(caller);
    waiting.set(state, call);
    call.expire(Math.max(limits.ttlMs, call.forMs), () => waiting.delete(state));
    return state;
  };
  const settle = async (call: Call, on: Attachment): Promise<Outcome> => {
    const outcome = await call.attach(on);
    return "result" in outcome ? outcome : { ...outcome, state: suspend(call, on.caller) };
  };
  return {
    begin: (can, run, on) => settle(new Call(can, run, { clock, on, hasRoom: () => waiting.size < limits.max }), on),
    async resume(state, answers, on) {
      const call = isOwnedBy(state, on.caller) ? waiting.get(state) : undefined;
      if (call === undefined) {
        const text =
          "requestState names no call that waits here for an answer: it ended, or was begun elsewhere; call again";
        throw new JsonRpcError(rpcCodes.invalidParams, text);
      }
      waiting.delete(state);
      call.answer(answers);
      return await settle(call, on);
    },
    close() {
      for (const call of waiting.values()) call.end("the server is shutting down");
      waiting.clear();
    },
  };
}

interface Surroundings {
  clock: Clock;
  on: Attachment;
  hasRoom: () => boolean;
}

class Call {
  readonly #ending = new AbortController();
  readonly #pending = new Map<string, Pending>();
  readonly #clock: Clock;
  readonly #done: Promise<{ result: ToolResult }>;
  #on: Attachment | undefined;
  #asked = Promise.withResolvers<void>();
  #expiry: Timer | undefined;
  #count = 0;

  constructor(can: Askable, run: (parts: CallParts) => Promise<ToolResult>, { clock, on, hasRoom }: Surroundings) {
    this.#clock = clock;
    // At once, for what the call has to say before it first waits.
    this.#on = on;
    const asking: Asking = { can, ask: (question, signal) => this.#ask(question, signal, hasRoom) };
    const notifyProgress = (params: ProgressParams) => this.#notify(params);
    this.#done = run({ signal: this.#ending.signal, asking, notifyProgress }).then((result) => ({ result }));
    // Nobody may be there to hear of it; whoever attaches is told.
    this.#done.catch(() => undefined);
  }

  /** Answers the request with what comes first: the end of the call, or its questions. */
  async attach(on: Attachment): Promise<{ result: ToolResult } | { questions: Record<string, Question> }> {
    this.#expiry?.cancel();
    this.#on = on;
    const onAbort = () => this.end("the caller is gone");
    if (on.signal.aborted) onAbort();
    on.signal.addEventListener("abort", onAbort, { once: true });
    try {
      const asked = this.#asked.promise.then(() => undefined);
      const ended = await Promise.race([this.#done, asked]);
      if (ended !== undefined) return ended;
      return { questions: Object.fromEntries([...this.#pending].map(([key, { question }]) => [key, question])) };
    } finally {
      on.signal.removeEventListener("abort", onAbort);
      this.#on = undefined;
    }
  }

  /** How long those may take who are asked. */
  get forMs(): number {
    return Math.max(0, ...[...this.#pending.values()].map(({ question }) => question.forMs ?? 0));
  }

  answer(answers: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of this.#pending) {
      const given = answers[key];
      if (!isJsonObject(given)) continue;
      this.#forget(key);
      answer.resolve(given);
    }
  }

  expire(afterMs: number, onExpired: () => void): void {
    this.#expiry = this.#clock.schedule(afterMs, () => {
      onExpired();
      this.end("the caller did not come back with an answer");
    });
  }

  end(why: string): void {
    this.#expiry?.cancel();
    this.#ending.abort(new Error(why));
  }

  async #ask(question: Question, signal: AbortSignal, hasRoom: () => boolean): Promise<Record<string, unknown>> {
    signal.throwIfAborted();
    if (!hasRoom()) {
      throw new JsonRpcError(rpcCodes.serverError, "too many calls are waiting for answers of their callers");
    }
    this.#count += 1;
    const key = `question-${this.#count}`;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const onAbort = () => answer.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#pending.set(key, { question, answer });
    this.#asked.resolve();
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#forget(key);
    }
  }

  /** At once, so that whoever attaches next is not sent a question that has its answer. */
  #forget(key: string): void {
    if (this.#pending.delete(key) && this.#pending.size === 0) this.#asked = Promise.withResolvers<void>();
  }

  /** On the stream of the request that is there now, by its own token. */
  async #notify(params: ProgressParams): Promise<void> {
    const { progressToken } = this.#on ?? {};
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return;
    await this.#on?.notifyProgress({ ...params, progressToken });
  }
}

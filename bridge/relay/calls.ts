// The requests of one session that run: by their ids, and by the tokens under which their progress comes. Each has a deadline,
// which begins anew with its progress and rests while its client is asked something.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Message, RpcId } from "../stdio/messages.ts";
import { readProgressToken } from "../stdio/messages.ts";
import type { Reply } from "./reply.ts";

/** How a call ended. `lost`: its process ended. */
export type CallOutcome = "ok" | "error" | "timeout" | "cancelled" | "lost" | "refused";

export interface Call {
  readonly id: RpcId;
  readonly method: string;
  readonly reply: Reply;
  readonly token: RpcId | undefined;
}

interface Running extends Call {
  timer: Timer | undefined;
  readonly startedAt: number;
}

/** Requests in which a server may ask its client something. */
const working: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);

export interface CallsOptions {
  readonly timeoutMs: number;
  /** Whether a client is being asked now, which may take its time. */
  readonly isAsking: () => boolean;
  readonly onTimeout: (call: Call) => void;
  readonly onEnd: (call: Call, outcome: CallOutcome, durationMs: number) => void;
  readonly clock: Clock;
}

export class Calls {
  readonly #running = new Map<RpcId, Running>();
  readonly #byToken = new Map<RpcId, Running>();
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  has(id: RpcId): boolean {
    return this.#running.has(id);
  }

  begin(message: Message & { id: RpcId; method: string }, reply: Reply): Call {
    const { id, method, params } = message;
    const token = readProgressToken(params);
    const call: Running = { id, method, reply, token, timer: undefined, startedAt: this.#options.clock.now() };
    this.#running.set(id, call);
    if (token !== undefined) this.#byToken.set(token, call);
    this.#arm(call);
    return call;
  }

  find(id: RpcId): Call | undefined {
    return this.#running.get(id);
  }

  /** The call that progress under this token is of, whose deadline begins anew. */
  progressed(token: RpcId): Call | undefined {
    const call = this.#byToken.get(token);
    if (call !== undefined) this.#arm(call);
    return call;
  }

  /** The one call that a question of the server can be about; undefined when there is none, or several. */
  onlyWorking(): Call | undefined {
    let only: Call | undefined;
    for (const call of this.#running.values()) {
      if (!working.has(call.method)) continue;
      if (only !== undefined) return undefined;
      only = call;
    }
    return only;
  }

  end(call: Call, outcome: CallOutcome, text?: string): void {
    const running = this.#running.get(call.id);
    if (running !== call) return;
    this.#running.delete(call.id);
    if (call.token !== undefined) this.#byToken.delete(call.token);
    running.timer?.cancel();
    call.reply.finish(text);
    this.#options.onEnd(call, outcome, this.#options.clock.now() - running.startedAt);
  }

  endAll(outcome: CallOutcome, render: (call: Call) => string): void {
    for (const call of this.#running.values()) this.end(call, outcome, render(call));
  }

  #arm(call: Running): void {
    const { clock, timeoutMs, isAsking, onTimeout } = this.#options;
    call.timer?.cancel();
    call.timer = clock.schedule(timeoutMs, () => {
      if (isAsking()) this.#arm(call);
      else onTimeout(call);
    });
  }
}

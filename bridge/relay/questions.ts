// What a server has asked its client and has no answer to yet. Each has a deadline: a client that never answers is answered for.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { RpcId } from "../stdio/messages.ts";

/** A person may have to be found first. */
const questionLimits = { max: 64, timeoutMs: 60 * 60_000 };

export class Questions {
  readonly #open = new Map<RpcId, Timer>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** False when there are too many. */
  begin(id: RpcId, onExpired: () => void): boolean {
    if (this.#open.size >= questionLimits.max || this.#open.has(id)) return false;
    const expire = () => {
      this.#open.delete(id);
      onExpired();
    };
    this.#open.set(id, this.#clock.schedule(questionLimits.timeoutMs, expire));
    return true;
  }

  /** Whether it was open. */
  end(id: RpcId): boolean {
    this.#open.get(id)?.cancel();
    return this.#open.delete(id);
  }

  clear(): void {
    for (const timer of this.#open.values()) timer.cancel();
    this.#open.clear();
  }
}

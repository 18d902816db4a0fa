// A deadline joined to a caller's signal. Written by hand instead of `AbortSignal.any` because a deadline can be
// restarted (watch inactivity) and must let go of a long-lived parent signal once its work is over.
import type { Clock, Timer } from "../process/clock.ts";

class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly parent?: AbortSignal | undefined;
  /** What took too long; becomes the error's message. */
  readonly describe: string;
}

export class Deadline {
  readonly #controller = new AbortController();
  readonly #options: DeadlineOptions;
  #timer: Timer;
  #timeoutMs: number;
  #endsAt: number;
  #expired = false;

  constructor(options: DeadlineOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs;
    this.#endsAt = options.clock.now() + options.timeoutMs;
    this.#timer = options.clock.schedule(options.timeoutMs, this.#expire);
    if (options.parent?.aborted === true) this.#follow();
    else options.parent?.addEventListener("abort", this.#follow, { once: true });
  }

  /** Aborted with `DeadlineExceeded` at the deadline, or with the parent's reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time ran out, false when the parent was aborted first. */
  get expired(): boolean {
    return this.#expired;
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#options.clock.now());
  }

  /** Counts again from now, from here on with another time. */
  restart(timeoutMs: number): void {
    if (this.signal.aborted) return;
    const { clock } = this.#options;
    this.#timer.cancel();
    this.#timeoutMs = timeoutMs;
    this.#endsAt = clock.now() + timeoutMs;
    this.#timer = clock.schedule(timeoutMs, this.#expire);
  }

  /** Must be called when the work is over: it frees the timer and the parent's listener. */
  dispose(): void {
    this.#timer.cancel();
    this.#options.parent?.removeEventListener("abort", this.#follow);
  }

  readonly #expire = (): void => {
    this.#expired = true;
    this.#controller.abort(new DeadlineExceeded(`${this.#options.describe}: not done within ${this.#timeoutMs} ms`));
  };

  readonly #follow = (): void => {
    this.#timer.cancel();
    this.#controller.abort(this.#options.parent?.reason);
  };
}

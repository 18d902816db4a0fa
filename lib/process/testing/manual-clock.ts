// A clock that stands still until it is told to move. For tests of delays, back-off and deadlines. Its two times are far
// apart and can be moved apart further, as when somebody sets the machine's clock.
import type { Clock, Timer } from "../clock.ts";

interface Scheduled {
  readonly dueAt: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  #now = 1_000_000;
  #wallAhead: number;
  readonly #scheduled = new Set<Scheduled>();

  constructor(wallNow = Date.UTC(2026, 0, 1)) {
    this.#wallAhead = wallNow - this.#now;
  }

  now(): number {
    return this.#now;
  }

  wallNow(): number {
    return this.#now + this.#wallAhead;
  }

  /** How long each timer that has not fired still has, shortest first. */
  get pending(): readonly number[] {
    return [...this.#scheduled].map(({ dueAt }) => dueAt - this.#now).toSorted((a, b) => a - b);
  }

  schedule(delayMs: number, run: () => void): Timer {
    const scheduled = { dueAt: this.#now + delayMs, run };
    this.#scheduled.add(scheduled);
    return { cancel: () => this.#scheduled.delete(scheduled) };
  }

  /** Moves time on, firing what falls due in order and letting promises settle after each. */
  async advance(byMs: number): Promise<void> {
    const end = this.#now + byMs;
    await settle();
    for (let next = this.#nextBefore(end); next !== undefined; next = this.#nextBefore(end)) {
      this.#scheduled.delete(next);
      this.#now = Math.max(this.#now, next.dueAt);
      next.run();
      await settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Moves time on without firing anything, as when the event loop stands still. What is due fires at the next `advance`. */
  stall(byMs: number): void {
    this.#now += byMs;
  }

  /** Sets the wall clock forward, or back by a negative time. No time passes. */
  setWall(byMs: number): void {
    this.#wallAhead += byMs;
  }

  #nextBefore(end: number): Scheduled | undefined {
    return [...this.#scheduled].filter(({ dueAt }) => dueAt <= end).toSorted((a, b) => a.dueAt - b.dueAt)[0];
  }
}

/** Lets promise callbacks that are due run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

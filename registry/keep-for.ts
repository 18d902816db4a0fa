// An answer that is made anew at most once in a while, however many ask for it.
import { systemClock, type Clock } from "../lib/process/clock.ts";

export interface Kept<T> {
  get(): T;
  /** The next one is made anew. */
  forget(): void;
}

export function keepFor<T>(keptMs: number, make: () => T, clock: Pick<Clock, "now"> = systemClock): Kept<T> {
  let kept: { value: T; madeAtMs: number } | undefined;
  return {
    get() {
      if (kept === undefined || clock.now() - kept.madeAtMs >= keptMs) kept = { value: make(), madeAtMs: clock.now() };
      return kept.value;
    },
    forget() {
      kept = undefined;
    },
  };
}

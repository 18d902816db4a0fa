/**
 * Time as something handed in, so that back-off, delays and deadlines can be tested without waiting.
 * `now` never runs backwards while the process lives, whatever the wall clock does.
 */
import { sleepWith } from "../process/sleep.ts";

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970, monotonic within the process. */
  now(): number;
  schedule(delayMs: number, run: () => void): Timer;
}

/** Node fires timers beyond this at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  schedule(delayMs, run) {
    const handle = setTimeout(run, Math.min(delayMs, longestTimerMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The clock's time in the form of metav1.MicroTime: UTC, exactly six digits after the second. */
export function renderMicroTime(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/Z$/, "000Z");
}

/** Resolves after the delay, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const start = (afterMs: number, run: () => void) => {
    const timer = clock.schedule(afterMs, run);
    return () => timer.cancel();
  };
  return sleepWith(start, delayMs, signal);
}

// A clock that stands still until a test moves it.
import type { Clock } from "../../clock.ts";

export interface FakeClock extends Clock {
  /** Remaining milliseconds of the running timers, shortest first. */
  pending(): number[];
  /** Milliseconds until the next timer is due. */
  nextMs(): number | undefined;
  /** Moves time on and calls back what is due, in order. */
  advance(ms: number): void;
}

interface Timer {
  atMs: number;
  callback: () => void;
}

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => [...timers].map((timer) => timer.atMs - nowMs).sort((a, b) => a - b),
    nextMs() {
      const next = earliest(timers);
      return next === undefined ? undefined : next.atMs - nowMs;
    },
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const next = earliest(timers);
        if (next === undefined || next.atMs > endMs) break;
        timers.delete(next);
        nowMs = next.atMs;
        next.callback();
      }
      nowMs = endMs;
    },
  };
}

/** Of several at the same time the first that was set. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || timer.atMs < first.atMs) first = timer;
  return first;
}

// A clock that stands still until a test moves it.
import type { Clock } from "../../clock.ts";

export interface FakeClock extends Clock {
  /** Remaining milliseconds of the running timers, shortest first. */
  pending(): number[];
  /** Moves time on and calls back what is due, in order. */
  advance(ms: number): void;
}

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => [...timers].map((timer) => timer.atMs - nowMs).sort((a, b) => a - b),
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.atMs;
        next.callback();
      }
      nowMs = endMs;
    },
  };
}

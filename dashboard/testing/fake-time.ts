// Time for tests of the page, which passes when they say so.
import { signal } from "@preact/signals";
import type { PageTime } from "../time.ts";

export interface FakeTime extends PageTime {
  /** Runs what is due on the way. */
  advance(ms: number): void;
}

export function createFakeTime(startMs = Date.parse("2026-11-24T12:00:00Z")): FakeTime {
  let elapsedMs = 0;
  let timers: { at: number; run: () => void }[] = [];
  const fine = signal(startMs);
  const coarse = signal(startMs);
  return {
    now: () => startMs + elapsedMs,
    elapsed: () => elapsedMs,
    learn: () => undefined,
    fine,
    coarse,
    after(delayMs, then) {
      const timer = { at: elapsedMs + delayMs, run: then };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    advance(ms) {
      const end = elapsedMs + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        elapsedMs = Math.max(elapsedMs, next.at);
        next.run();
      }
      elapsedMs = end;
      fine.value = startMs + elapsedMs;
      coarse.value = startMs + elapsedMs;
    },
    stop: () => undefined,
  };
}

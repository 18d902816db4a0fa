// Time as the page knows it: the browser's clock alone measures durations, and what the time of day is, the server says (its
// `Date` header), since a browser's may be wrong. Everything that tells an age or a time left is repainted from here.
import { signal, type ReadonlySignal } from "@preact/signals";

export interface PageTime {
  /** Milliseconds since the epoch by the server's clock, as far as it is known. */
  now(): number;
  /** Milliseconds that only ever grow, for durations. */
  elapsed(): number;
  /** Learns the server's time of day from the header of an answer that has just arrived. */
  learn(dateHeader: string | null): void;
  /** `now()`, each 5 s: for ages and times left that are below a minute or so. */
  readonly fine: ReadonlySignal<number>;
  /** `now()`, each minute. */
  readonly coarse: ReadonlySignal<number>;
  /** Calls back once after that many milliseconds; returns how to cancel. */
  after(delayMs: number, then: () => void): () => void;
  stop(): void;
}

const fineMs = 5_000;
const coarseMs = 60_000;
/** The header has whole seconds. */
const headerRoundingMs = 500;
/** Below it a difference is the network's. */
const minSkewMs = 2_000;

export function createPageTime(): PageTime {
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  const fine = signal(now());
  const coarse = signal(now());
  const timers = [setInterval(() => (fine.value = now()), fineMs), setInterval(() => (coarse.value = now()), coarseMs)];
  return {
    now,
    elapsed: () => performance.now(),
    learn(dateHeader) {
      const told = dateHeader === null ? Number.NaN : Date.parse(dateHeader);
      if (Number.isNaN(told)) return;
      const foundMs = told + headerRoundingMs - Date.now();
      const wantedMs = Math.abs(foundMs) < minSkewMs ? 0 : foundMs;
      if (Math.abs(wantedMs - skewMs) < minSkewMs) return;
      skewMs = wantedMs;
      fine.value = now();
      coarse.value = now();
    },
    fine,
    coarse,
    after(delayMs, then) {
      const timer = setTimeout(then, delayMs);
      return () => clearTimeout(timer);
    },
    stop: () => timers.forEach((timer) => clearInterval(timer)),
  };
}

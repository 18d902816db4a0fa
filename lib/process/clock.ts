// Time as something handed in, so that back-off, deadlines and what is written down can be tested without waiting. The
// only place that reads the machine's clocks: one that never runs backwards, and one that anybody may set.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds from some moment on, never backwards: for durations and deadlines, of which only differences count. */
  now(): number;
  /** Milliseconds since 1970. Steps when the machine's clock is set: for what people, files and other machines read or wrote. */
  wallNow(): number;
  /** Runs `run` once after the delay; keeps the process alive until then. */
  schedule(delayMs: number, run: () => void): Timer;
}

/** Node fires timers beyond this at once. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  schedule(delayMs, run) {
    const handle = setTimeout(run, Math.min(delayMs, maxTimerMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The wall clock's time in RFC 3339, in UTC with milliseconds. */
export function renderTime(clock: Clock): string {
  return new Date(clock.wallNow()).toISOString();
}

/** Resolves after the delay, or rejects with the signal's reason as soon as it is aborted. Leaves no timer behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.schedule(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves true when `work` has settled within `waitMs` (a rejection counts as settled), else false. */
export async function settledWithin(work: Promise<unknown>, waitMs: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = clock.schedule(waitMs, () => late.resolve(false));
  const settled = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, late.promise]);
  timer.cancel();
  return inTime;
}

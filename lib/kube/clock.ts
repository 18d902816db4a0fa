/**
 * Time as something handed in, so that back-off, delays and deadlines can be tested without waiting.
 * `now` never runs backwards while the process lives, whatever the wall clock does.
 */

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

/** Waits, and rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.schedule(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

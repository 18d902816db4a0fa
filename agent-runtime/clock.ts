// Time as something handed in, so that heartbeats, expiries and deadlines can be tested without waiting.
// It owns no deadline itself.
import { sleepWith } from "../lib/process/sleep.ts";

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. A pending task does not keep the process alive. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the delay, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return sleepWith((afterMs, run) => clock.after(afterMs, run), delayMs, signal);
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. Late results of `work` are dropped. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  return promise;
}

/** Resolves true when `work` has settled within `waitMs` (a rejection counts as settled), else false. */
export async function settledWithin(work: Promise<unknown>, waitMs: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(waitMs, () => late.resolve(false));
  const settled = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, late.promise]);
  cancel();
  return inTime;
}

/**
 * Waiting that can be called off. The timer is the caller's, so that time stays something handed in.
 */

/** Runs `run` once after the delay. Returns the way to cancel it. */
type StartTimer = (delayMs: number, run: () => void) => () => void;

/** Resolves after the delay, or rejects with the signal's reason as soon as it is aborted. Leaves no timer behind. */
export function sleepWith(startTimer: StartTimer, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = startTimer(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

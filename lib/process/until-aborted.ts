// Waiting for work that may be deaf to its signal: whoever waits is let go when the signal aborts, the work goes on unheard.

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. Late results of `work` are dropped. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  return promise;
}

// Requests that wait for their turn: so many are under way at once, and each has a deadline once it is.
import type { Clock } from "../../../lib/process/clock.ts";

export interface BoundedRequests {
  /** Rejects as the request does, and with a sentence after its deadline, or when they are closed. */
  run<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

export interface RequestBounds {
  maxAtOnce: number;
  /** Of each, from when it begins. */
  timeoutMs: number;
  clock: Clock;
}

export function createBoundedRequests({ maxAtOnce, timeoutMs, clock }: RequestBounds): BoundedRequests {
  const closing = new AbortController();
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async () => {
    if (running < maxAtOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    async run(request) {
      await enter();
      const late = new AbortController();
      const timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
      try {
        const signal = AbortSignal.any([late.signal, closing.signal]);
        signal.throwIfAborted();
        return await request(signal);
      } finally {
        timer.cancel();
        leave();
      }
    },
    close: () => closing.abort(new Error("the gateway is shutting down")),
  };
}

// The calls in flight: how many there are, when the last one has ended, and how to end them all.
import type { Clock } from "../lib/process/clock.ts";

export interface RunningCall {
  /** Aborts with the caller's signal, at the deadline, or when all calls are ended. */
  readonly signal: AbortSignal;
  done(): void;
}

export interface Calls {
  /** Registers a call that `deadline.afterMs` aborts with `deadline.reason`. */
  begin(caller: AbortSignal, deadline: { afterMs: number; reason: () => Error }): RunningCall;
  count(): number;
  /** Resolves when no call is in flight, at once if none is. */
  idle(): Promise<void>;
  /** Aborts every call in flight. */
  abortAll(reason: Error): void;
}

/** None in flight yet. */
export function createCalls(clock: Clock): Calls {
  const running = new Set<AbortController>();
  let idle = Promise.withResolvers<void>();
  idle.resolve();
  return {
    begin(caller, deadline) {
      const own = new AbortController();
      if (running.size === 0) idle = Promise.withResolvers<void>();
      running.add(own);
      const timer = clock.schedule(deadline.afterMs, () => own.abort(deadline.reason()));
      return {
        signal: AbortSignal.any([caller, own.signal]),
        done() {
          timer.cancel();
          running.delete(own);
          if (running.size === 0) idle.resolve();
        },
      };
    },
    count: () => running.size,
    idle: () => idle.promise,
    abortAll(reason) {
      for (const own of running) own.abort(reason);
    },
  };
}

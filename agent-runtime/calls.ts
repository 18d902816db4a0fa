// The calls in flight: which there are, when the last one has ended, and how to end one or all of them.
import { randomUUID } from "node:crypto";
import type { Run } from "../crds/runs.ts";
import { renderTime, type Clock } from "../lib/process/clock.ts";
import { createRunClock, type RunClock } from "./loop/run-clock.ts";

export interface RunningCall {
  /** Aborts with the caller's signal, at the deadline, or when this call or all calls are ended. */
  readonly signal: AbortSignal;
  /** The time it has. */
  readonly time: RunClock;
  /** Aborts it. */
  end(reason: Error): void;
  done(): void;
}

export interface Calls {
  /** Registers a call that `deadline.afterMs` aborts with `deadline.reason`. */
  begin(caller: AbortSignal, deadline: { afterMs: number; reason: () => Error }): RunningCall;
  count(): number;
  /** The oldest first. */
  list(): Run[];
  /** False when no such call is in flight. */
  abort(id: string, reason: Error): boolean;
  /** Resolves when no call is in flight, at once if none is. */
  idle(): Promise<void>;
  /** Aborts every call in flight; returns how many there were. */
  abortAll(reason: Error): number;
}

/** None in flight yet. */
export function createCalls(clock: Clock): Calls {
  const running = new Map<string, { own: AbortController; startedAt: string }>();
  let idle = Promise.withResolvers<void>();
  idle.resolve();
  return {
    begin(caller, deadline) {
      const own = new AbortController();
      const id = randomUUID();
      if (running.size === 0) idle = Promise.withResolvers<void>();
      running.set(id, { own, startedAt: renderTime(clock) });
      const onTimeUp = () => own.abort(deadline.reason());
      const time = createRunClock(clock, { afterMs: deadline.afterMs, onTimeUp });
      return {
        time,
        signal: AbortSignal.any([caller, own.signal]),
        end: (reason) => own.abort(reason),
        done() {
          time.stop();
          running.delete(id);
          if (running.size === 0) idle.resolve();
        },
      };
    },
    count: () => running.size,
    list: () => [...running].map(([id, { startedAt }]) => ({ id, startedAt })),
    abort(id, reason) {
      const call = running.get(id);
      call?.own.abort(reason);
      return call !== undefined;
    },
    idle: () => idle.promise,
    abortAll(reason) {
      for (const { own } of running.values()) own.abort(reason);
      return running.size;
    },
  };
}

// The calls in flight: which there are, when the last one has ended, and how to end one or all of them; and the last that have ended.
import { randomUUID } from "node:crypto";
import type { CallOutcome } from "../crds/metric-names.ts";
import { maxEndedRuns, type EndedRun, type Run } from "../crds/runs.ts";
import { renderTime, type Clock } from "../lib/process/clock.ts";
import { createRunClock, type RunClock } from "./loop/run-clock.ts";

export interface RunningCall {
  /** Aborts with the caller's signal, at the deadline, or when this call or all calls are ended. */
  readonly signal: AbortSignal;
  /** The time it has. */
  readonly time: RunClock;
  /** Aborts it. */
  end(reason: Error): void;
  done(outcome: CallOutcome): void;
}

/** What is told of a call beside its times. */
export type CallFacts = Pick<Run, "caller" | "steps" | "tokens">;

export interface NewCall {
  /** Aborts when its caller wants it no more. */
  caller: AbortSignal;
  deadline: { afterMs: number; reason: () => Error };
  /** As it stands when it is asked for. */
  describe: () => CallFacts;
}

export interface Calls {
  /** Registers a call that `deadline.afterMs` aborts with `deadline.reason`. */
  begin(call: NewCall): RunningCall;
  count(): number;
  /** The oldest first. */
  list(): Run[];
  /** The last `maxEndedRuns` that have ended, the newest first. */
  listEnded(): EndedRun[];
  /** False when no such call is in flight. */
  abort(id: string, reason: Error): boolean;
  /** Resolves when no call is in flight, at once if none is. */
  idle(): Promise<void>;
  /** Aborts every call in flight; returns how many there were. */
  abortAll(reason: Error): number;
}

/** None in flight yet. */
export function createCalls(clock: Clock): Calls {
  const running = new Map<string, { own: AbortController; describe: () => Run }>();
  const ended: EndedRun[] = [];
  let idle = Promise.withResolvers<void>();
  idle.resolve();
  return {
    begin({ caller, deadline, describe: describeFacts }) {
      const own = new AbortController();
      const id = randomUUID();
      const startedAt = renderTime(clock);
      const describe = () => ({ id, startedAt, ...describeFacts() });
      if (running.size === 0) idle = Promise.withResolvers<void>();
      running.set(id, { own, describe });
      const onTimeUp = () => own.abort(deadline.reason());
      const time = createRunClock(clock, { afterMs: deadline.afterMs, onTimeUp });
      return {
        time,
        signal: AbortSignal.any([caller, own.signal]),
        end: (reason) => own.abort(reason),
        done(outcome) {
          time.stop();
          running.delete(id);
          ended.unshift({ ...describe(), endedAt: renderTime(clock), outcome });
          ended.splice(maxEndedRuns);
          if (running.size === 0) idle.resolve();
        },
      };
    },
    count: () => running.size,
    list: () => [...running.values()].map(({ describe }) => describe()),
    listEnded: () => [...ended],
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

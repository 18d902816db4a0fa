// Counts what the compositor asks of servers, by the same metric as the agent's own calls.
import type { Operation, Outcome } from "../../crds/metric-names.ts";
import type { Clock } from "../../lib/process/clock.ts";

export type OnCall = (call: { server: string; operation: Operation; outcome: Outcome; durationMs: number }) => void;

export interface CountedCall<Result> {
  server: string;
  operation: Operation;
  signal: AbortSignal;
  ask: () => Promise<Result>;
  /** Whether a result is one of a failure. */
  isError?: (result: Result) => boolean;
}

export type CountCall = <Result>(call: CountedCall<Result>) => Promise<Result>;

/** Answers and fails as what is asked does. */
export function createCountCall(onCall: OnCall, clock: Clock): CountCall {
  return async ({ server, operation, signal, ask, isError }) => {
    const startedAt = clock.now();
    let outcome: Outcome = "error";
    try {
      const result = await ask();
      if (isError?.(result) !== true) outcome = "ok";
      return result;
    } finally {
      if (signal.aborted) outcome = "cancelled";
      onCall({ server, operation, outcome, durationMs: clock.now() - startedAt });
    }
  };
}

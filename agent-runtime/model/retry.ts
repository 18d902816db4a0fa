// Tries a model call again when waiting can help: rate limits, overload, network. Everything else is final here.
import { sleep, type Clock } from "../../lib/process/clock.ts";
import { ModelError, type ModelErrorKind } from "./types.ts";

export const maxTries = 3;
const baseWaitMs = 1_000;
const jitterShare = 0.25;
/** A provider that asks for more is treated as unavailable: a fallback is faster. */
export const maxWaitMs = 60_000;

const retryable: ReadonlySet<ModelErrorKind> = new Set(["rate_limit", "overloaded", "network"]);

/**
 * Runs an attempt up to three times. A Retry-After is obeyed; otherwise waits double from 1 s, ±25 %. No wait begins
 * that would end after `deadlineMs` (by the clock's `now`).
 * @throws the last ModelError, or the signal's reason.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  options: {
    clock: Clock;
    random: () => number;
    signal: AbortSignal;
    deadlineMs: number | undefined;
    onRetry: (error: ModelError, waitMs: number) => void;
  },
): Promise<T> {
  const { clock, signal } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ModelError) || !retryable.has(error.kind) || tries >= maxTries) throw error;
      const jitter = 1 + jitterShare * (2 * options.random() - 1);
      const waitMs = error.retryAfterMs ?? Math.round(baseWaitMs * 2 ** (tries - 1) * jitter);
      if (waitMs > maxWaitMs || clock.now() + waitMs >= (options.deadlineMs ?? Infinity)) throw error;
      options.onRetry(error, waitMs);
      await sleep(clock, waitMs, signal);
    }
  }
}

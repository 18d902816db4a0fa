// The time between the start of an agent's process and its first answer.
import { setTimeout as delay } from "node:timers/promises";
import { runnerLimits } from "../up/runner.ts";

const pollMs = 100;

/**
 * Asks until the process is ready, has ended, takes too long, or the signal aborts.
 * @param observe undefined when it is ready, else why not
 * @returns whether it is ready
 */
export async function waitUntilReady(
  observe: () => Promise<string | undefined>,
  ended: Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  void ended.finally(() => over.abort());
  const either = AbortSignal.any([signal, over.signal, AbortSignal.timeout(runnerLimits.readyWithinMs)]);
  while (!either.aborted) {
    if ((await observe()) === undefined) return !either.aborted;
    await delay(pollMs, undefined, { signal: either }).catch(() => undefined);
  }
  return false;
}

// How long the operator takes to be right again after a fault, as OPR-7 counts it.

import { setTimeout as delay } from "node:timers/promises";

import type { FaultHandle } from "./fault-rules.ts";
import type { Space } from "./space.ts";

/** OPR-7: it resumes within this. */
export const maxRecoveryMs = 10_000;
const patienceMs = 60_000;
const pollMs = 100;

/**
 * Milliseconds from `since` (or from a rule's last strike) until `isDone`. Rejects a minute after what is expected,
 * saying what was waited for, so that a slow recovery is told from none.
 */
export async function measureRecovery(
  what: string,
  since: number | FaultHandle,
  isDone: () => Promise<boolean>,
  expectedMs = 0,
): Promise<number> {
  const deadline = Date.now() + expectedMs + patienceMs;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`expected within ${expectedMs + patienceMs} ms: ${what}`);
    await delay(pollMs);
  }
  const start = typeof since === "number" ? since : (since.lastHitAt ?? Number.NaN);
  if (Number.isNaN(start)) throw new Error(`${what}: expected the fault to have struck, but it never did`);
  return Math.max(0, Date.now() - start);
}

/** Resolves once the rule has struck so often; what follows in a row must not begin before. */
export async function untilStruck(rule: FaultHandle, hits = 1): Promise<void> {
  await measureRecovery(`${hits} strikes of the fault`, Date.now(), () => Promise.resolve(rule.hits >= hits));
}

/** Edits the agent and waits until its run configuration has the edit. */
export async function measureFollowing(
  space: Space,
  agent: string,
  steps: number,
  since: FaultHandle | number,
  expectedMs = 0,
): Promise<number> {
  await space.setSteps(agent, steps);
  const isFollowed = async (): Promise<boolean> => (await space.steps(agent)) === steps;
  return measureRecovery(`${steps} steps in ${agent}'s run configuration`, since, isFollowed, expectedMs);
}

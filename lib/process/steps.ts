// Work in steps: what would hold up the event loop is written as a generator that yields every millisecond or so, and is
// run in turns with everything else, or at once where nobody waits.
import { setImmediate as turnOfLoop } from "node:timers/promises";

export type Steps<Result> = Generator<undefined, Result, undefined>;

export function runSynchronously<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Others get their turn after each step. Rejects with what a step throws. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turnOfLoop();
  }
}

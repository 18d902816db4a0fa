// Long work in short slices, one piece after another, so that whatever else the process does goes on in between.
import { setImmediate } from "node:timers/promises";

/** Work that says after each small step what it cost, in characters read or the like. */
export type Steps = Iterator<number, void>;

/** About a millisecond on a machine of today; a step of the largest tool takes three times that. */
const sliceCost = 8_000;

export class WorkLine {
  #last: Promise<void> = Promise.resolve();

  /** Resolves or rejects as the work ends, which begins once all that was added before has ended. */
  add(begin: () => Steps): Promise<void> {
    const done = this.#last.then(() => run(begin()));
    this.#last = done.catch(() => {});
    return done;
  }
}

async function run(steps: Steps): Promise<void> {
  let cost = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return;
    cost += step.value;
    if (cost >= sliceCost) {
      cost = 0;
      await setImmediate();
    }
  }
}

// Long work in short slices, one piece after another, so that whatever else the process does goes on in between.
import { setImmediate } from "node:timers/promises";

/** Work that says after each small step what it cost, in characters read or the like. */
type Steps = Iterator<number, void>;

/** About a millisecond on a machine of today; a step of the largest tool takes three times that. */
const sliceCost = 8_000;

export class WorkLine {
  #last: Promise<void> = Promise.resolve();
  /** Since the event loop went on; many small pieces of work are a slice, too. */
  #cost = 0;

  /** Resolves or rejects as the work ends, which begins once all that was added before has ended. */
  add(begin: () => Steps): Promise<void> {
    const done = this.#last.then(() => this.#run(begin()));
    this.#last = done.catch(() => {});
    return done;
  }

  async #run(steps: Steps): Promise<void> {
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      this.#cost += step.value;
      if (this.#cost < sliceCost) continue;
      this.#cost = 0;
      await setImmediate();
    }
  }
}

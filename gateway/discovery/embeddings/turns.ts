// Short pieces of work that block the event loop, each in a turn of its own: many that come at once do not become one long one.
import { setImmediate } from "node:timers/promises";

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves at once where nobody has had this turn of the loop, else in a later one, in the order of the calls. */
  async take(): Promise<void> {
    const mine = this.#last;
    this.#last = mine.then(() => setImmediate());
    await mine;
  }
}

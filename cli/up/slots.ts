// A bounded number of things at once; the others wait in order.

export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Waits for a slot.
   * @returns gives it back; a second call does nothing
   * @throws the signal's reason when it is aborted first
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue(signal);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }

  async #queue(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      const position = this.#waiting.indexOf(resolve);
      if (position >= 0) this.#waiting.splice(position, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}

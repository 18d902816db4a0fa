// Exponential delays with jitter, for one thing that keeps failing. The owner says when it is well again.

export interface BackoffOptions {
  readonly initialMs: number;
  /** No delay is longer, jitter included. */
  readonly maxMs: number;
  /** In [0, 1); injected for tests. */
  readonly random?: () => number;
}

/** The n-th delay (n from 0): `initialMs · 2^n`, at most `maxMs`, of which a random quarter is taken off. */
export function backoffDelayMs(options: BackoffOptions, failures: number): number {
  const full = Math.min(options.maxMs, options.initialMs * 2 ** Math.min(failures, 64));
  return full * (1 - 0.25 * (options.random ?? Math.random)());
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextMs(): number {
    const delay = backoffDelayMs(this.#options, this.#failures);
    this.#failures += 1;
    return delay;
  }

  reset(): void {
    this.#failures = 0;
  }
}

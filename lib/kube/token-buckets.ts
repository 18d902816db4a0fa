// A rate limit per key: a burst at first, then one in a while. Keys that were not used for the longest time are
// forgotten, so the memory is bounded.
import type { Clock } from "../process/clock.ts";

export interface TokenBucketsOptions {
  readonly clock: Clock;
  readonly burst: number;
  /** One more after each such time, up to the burst. */
  readonly refillMs: number;
  /** Keys that are remembered. */
  readonly limit: number;
}

export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  /** The longest unused first. */
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  /** False when there is none left for this key now. */
  take(key: string): boolean {
    const { clock, burst, refillMs, limit } = this.#options;
    const now = clock.now();
    const known = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, known.tokens + (now - known.at) / refillMs);
    const taken = tokens >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: taken ? tokens - 1 : tokens, at: now });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= limit) break;
      this.#buckets.delete(oldest);
    }
    return taken;
  }
}

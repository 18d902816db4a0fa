// The keys that need work: each at most once, never handed to two workers, and again when it was added while being
// worked on. First in, first out within a priority; delays and per-key back-off. Holds keys only, so it is bounded by
// the number of objects.
import { backoffDelayMs, type BackoffOptions } from "./backoff.ts";
import type { QueueMetrics } from "./metrics.ts";
import { systemClock, type Clock, type Timer } from "../process/clock.ts";

export interface AddOptions {
  /** Higher comes first; default 0. */
  readonly priority?: number;
  readonly afterMs?: number;
}

export interface RetryOptions {
  readonly priority?: number;
  readonly atLeastMs?: number | undefined;
  readonly atMostMs?: number | undefined;
}

export interface QueueItem {
  readonly key: string;
  readonly priority: number;
}

export interface WorkQueueOptions {
  readonly clock?: Clock;
  readonly metrics?: QueueMetrics | undefined;
  readonly backoff?: BackoffOptions;
}

export const defaultKeyBackoff: BackoffOptions = { initialMs: 5, maxMs: 1_000_000 };

interface Pending {
  readonly priority: number;
  readonly addedAt: number;
}

interface Delayed {
  readonly priority: number;
  readonly dueAt: number;
  readonly timer: Timer;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #backoff: BackoffOptions;
  /** Waiting keys by priority; a Map keeps the order of insertion. */
  readonly #ready = new Map<number, Map<string, Pending>>();
  readonly #priorities = new Map<string, number>();
  readonly #processing = new Map<string, number>();
  /** Added again while being processed. */
  readonly #again = new Map<string, Pending>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #waiters: ((item: QueueItem | undefined) => void)[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#metrics = options.metrics;
    this.#backoff = options.backoff ?? defaultKeyBackoff;
    this.#metrics?.inWork(() => {
      const now = this.#clock.now();
      return [...this.#processing.values()].map((startedAt) => (now - startedAt) / 1000);
    });
  }

  /** Keys that could be handed out now. */
  get depth(): number {
    return this.#priorities.size;
  }

  /** Resolves after `shutDown` when nothing waits and nothing is being worked on. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** An add without delay overtakes a delayed one of the same key; of two delays the earlier stays. */
  add(key: string, options: AddOptions = {}): void {
    if (this.#closed) return;
    const priority = options.priority ?? 0;
    if (options.afterMs !== undefined && options.afterMs > 0) {
      this.#delay(key, priority, options.afterMs);
      return;
    }
    this.#undelay(key);
    const pending = { priority, addedAt: this.#clock.now() };
    if (this.#processing.has(key)) {
      const known = this.#again.get(key);
      if (known === undefined) this.#metrics?.added();
      if (known === undefined || known.priority < priority) this.#again.set(key, pending);
      return;
    }
    this.#enqueue(key, pending, true);
  }

  /** Adds the key after its own exponential back-off, within the limits given. Returns the delay in ms. */
  retry(key: string, options: RetryOptions = {}): number {
    const { priority = 0, atLeastMs = 0, atMostMs = Number.POSITIVE_INFINITY } = options;
    const failures = this.#failures.get(key) ?? 0;
    const backoffMs = backoffDelayMs(this.#backoff, failures);
    const afterMs = Math.max(Math.min(backoffMs, atMostMs), atLeastMs);
    if (this.#closed) return afterMs;
    // What is limited from outside does not make later failures wait longer either.
    this.#failures.set(key, backoffMs < atMostMs ? failures + 1 : Math.max(failures, 1));
    this.#metrics?.retried();
    this.add(key, { priority, afterMs });
    return afterMs;
  }

  /** The key is well: its next failure starts at the shortest delay again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Waits for a key; undefined once the queue is shut down and empty. The taker must call `done`. */
  take(): Promise<QueueItem | undefined> {
    const item = this.#next();
    if (item !== undefined || this.#closed) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The work on a taken key is over; if it was added meanwhile it is ready again. */
  done(key: string): void {
    const startedAt = this.#processing.get(key);
    if (startedAt === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.worked((this.#clock.now() - startedAt) / 1000);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) {
      this.#undelay(key);
      this.#enqueue(key, again, false);
    }
    this.#settle();
  }

  /** Takes no more keys. Delayed ones are dropped; waiting ones are still handed out unless `discardWaiting`. */
  shutDown(options: { readonly discardWaiting?: boolean } = {}): void {
    this.#closed = true;
    for (const key of [...this.#delayed.keys()]) this.#undelay(key);
    if (options.discardWaiting === true) {
      this.#ready.clear();
      this.#priorities.clear();
      this.#again.clear();
      this.#metrics?.depth(0);
    }
    for (const waiter of this.#waiters.splice(0)) waiter(undefined);
    this.#settle();
  }

  #delay(key: string, priority: number, afterMs: number): void {
    // A key that is ready anyway will say for itself when it wants to come back.
    if (this.#priorities.has(key) || this.#again.has(key)) return;
    const dueAt = this.#clock.now() + afterMs;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.dueAt <= dueAt) return;
    this.#undelay(key);
    const timer = this.#clock.schedule(afterMs, () => this.add(key, { priority }));
    this.#delayed.set(key, { priority, dueAt, timer });
  }

  #undelay(key: string): void {
    this.#delayed.get(key)?.timer.cancel();
    this.#delayed.delete(key);
  }

  #enqueue(key: string, pending: Pending, isNew: boolean): void {
    const known = this.#priorities.get(key);
    if (known !== undefined && known >= pending.priority) return;
    if (known !== undefined) this.#ready.get(known)?.delete(key);
    else if (isNew) this.#metrics?.added();
    this.#priorities.set(key, pending.priority);
    const bucket = this.#ready.get(pending.priority) ?? new Map<string, Pending>();
    this.#ready.set(pending.priority, bucket.set(key, pending));
    this.#metrics?.depth(this.depth);
    if (this.#waiters.length > 0) this.#waiters.shift()?.(this.#next());
  }

  #next(): QueueItem | undefined {
    if (this.#priorities.size === 0) return undefined;
    const priority = Math.max(...[...this.#ready].filter(([, bucket]) => bucket.size > 0).map(([level]) => level));
    const bucket = this.#ready.get(priority);
    for (const [key, pending] of bucket ?? []) {
      bucket?.delete(key);
      if (bucket?.size === 0) this.#ready.delete(priority);
      this.#priorities.delete(key);
      const now = this.#clock.now();
      this.#processing.set(key, now);
      this.#metrics?.depth(this.depth);
      this.#metrics?.waited((now - pending.addedAt) / 1000);
      return { key, priority };
    }
    return undefined;
  }

  #settle(): void {
    if (this.#closed && this.#priorities.size === 0 && this.#processing.size === 0) this.#drained.resolve();
  }
}

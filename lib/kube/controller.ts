// Runs a reconcile function over keys: a few at a time, one at a time per key, not before the caches hold the key's
// namespace, each under a deadline. Whatever the function throws ends in the queue, never in the process.
import { ApiError, CallRefused, TransportError } from "./api-error.ts";
import type { BackoffOptions } from "./backoff.ts";
import type { OwnWrites } from "./consistency.ts";
import { Deadline } from "./deadline.ts";
import type { ControllerMetrics, KubeMetrics, ReconcileOutcome } from "./metrics.ts";
import { splitKey } from "./object.ts";
import { Stalled, Waiting } from "./outcome.ts";
import type { Source } from "./source.ts";
import { defaultKeyBackoff, WorkQueue, type AddOptions, type QueueItem } from "./work-queue.ts";
import { sleep, systemClock, type Clock, type Timer } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";

export interface ReconcileContext {
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** How often the key has failed in a row before this. */
  readonly failures: number;
  /** Aborted at the deadline, and when the controller must not write any more. Every call is given it. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface ReconcileResult {
  /** Come back after this time even if nothing changes. */
  readonly requeueAfterMs?: number;
}

/** Must be level-triggered: read the caches, compare, write what differs; also called for objects that are gone. */
export type Reconcile = (context: ReconcileContext) => Promise<ReconcileResult>;

export interface ControllerOptions {
  /** Label of metrics and logs. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  readonly log: Logger;
  readonly workers?: number;
  readonly reconcileTimeoutMs?: number;
  /** How long reconciles in flight may go on after the stop; 0 aborts them at once. */
  readonly drainTimeoutMs?: number;
  /** Puts a key off until the caches show what was written for it (I7). */
  readonly ownWrites?: OwnWrites;
  readonly metrics?: KubeMetrics;
  readonly backoff?: BackoffOptions;
  readonly clock?: Clock;
}

export interface Controller {
  /** Asks for a reconcile from outside of the sources. */
  enqueue(key: string, options?: AddOptions): void;
  /** Works until the signal is aborted, then drains. Never rejects. May be called once. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultWorkers = 4;
const defaultReconcileTimeoutMs = 60_000;
const defaultDrainTimeoutMs = 10_000;
/** A reconcile that goes on for this long after its abort loses its worker, but keeps its key. */
const abortGraceMs = 1_000;
/** A server without an answer is not the key's problem: once it is back, nothing waits for long. */
const maxUnreachableRetryMs = 5_000;
const unsyncedWarningMs = 30_000;

export function createController(options: ControllerOptions): Controller {
  return new QueueController(options);
}

type Verdict = { readonly error: unknown } | { readonly result: ReconcileResult };

class QueueController implements Controller {
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #queue: WorkQueue;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #workers: number;
  /** Keys that wait for the caches, and with which priority they come back. They hold no worker. */
  readonly #postponed = new Map<string, number>();
  /** Aborted when nothing may be written any more. */
  readonly #halt = new AbortController();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#workers = options.workers ?? defaultWorkers;
    this.#metrics = options.metrics?.controller(options.name);
    this.#queue = new WorkQueue({
      clock: this.#clock,
      metrics: options.metrics?.queue(options.name),
      backoff: options.backoff ?? defaultKeyBackoff,
    });
  }

  enqueue(key: string, options: AddOptions = {}): void {
    this.#queue.add(key, options);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sources, log, name } = this.#options;
    // At once, not a microtask later: no worker may take another key after the abort.
    signal.addEventListener("abort", () => this.#queue.shutDown({ discardWaiting: true }), { once: true });
    const disconnects = sources.map((source) => source.connect((key, add) => this.#queue.add(key, add)));
    const warning = this.#warnWhileUnsynced();
    try {
      log.info({ controller: name, workers: this.#workers }, "controller started");
      this.#metrics?.workers(this.#workers);
      const work = Array.from({ length: this.#workers }, () => this.#work());
      await aborted(signal);
      await this.#drain(Promise.all(work));
    } finally {
      warning.cancel();
      for (const disconnect of disconnects) disconnect();
      this.#queue.shutDown({ discardWaiting: true });
      this.#halt.abort(new Error(`controller ${name} stopped`));
    }
    log.info({ controller: name }, "controller stopped");
  }

  #warnWhileUnsynced(): Timer {
    const { sources, log, name } = this.#options;
    const unsynced = () => sources.filter((source) => !source.hasSynced).map((source) => source.name);
    const look = () => {
      const waiting = unsynced();
      if (waiting.length === 0) return;
      log.warn({ controller: name, waiting }, "caches are not filled yet");
      timer = this.#clock.schedule(unsyncedWarningMs, look);
    };
    let timer = this.#clock.schedule(unsyncedWarningMs, look);
    return { cancel: () => timer.cancel() };
  }

  async #drain(idle: Promise<unknown>): Promise<void> {
    const budgetMs = this.#options.drainTimeoutMs ?? defaultDrainTimeoutMs;
    if (budgetMs > 0 && (await this.#within(budgetMs, idle))) return;
    this.#halt.abort(new Error(`controller ${this.#options.name} is stopping`));
    if (!(await this.#within(abortGraceMs * 2, idle))) {
      this.#options.log.error({ controller: this.#options.name }, "reconciles in flight ignored their abort");
    }
  }

  /** True when the work was over in time. */
  async #within(budgetMs: number, work: Promise<unknown>): Promise<boolean> {
    const enough = new AbortController();
    const late = sleep(this.#clock, budgetMs, enough.signal).then(
      () => false,
      () => true, // Cancelled because the work is over.
    );
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      enough.abort();
    }
  }

  async #work(): Promise<void> {
    for (let item = await this.#queue.take(); item !== undefined; item = await this.#queue.take()) {
      if (this.#postpone(item)) continue;
      this.#metrics?.active(1);
      await this.#process(item);
      this.#metrics?.active(-1);
    }
  }

  /** True when the key has to wait for the caches; it is added again then, and not before. */
  #postpone({ key, priority }: QueueItem): boolean {
    const known = this.#postponed.get(key);
    if (known === undefined) {
      const ready = this.#ensureSynced(key) ?? this.#options.ownWrites?.ensureSeen(key);
      if (ready === undefined) return false;
      void ready.then(() => {
        const priority = this.#postponed.get(key);
        this.#postponed.delete(key);
        this.#queue.add(key, priority === undefined ? {} : { priority });
      });
    }
    this.#postponed.set(key, Math.max(priority, known ?? priority));
    this.#queue.done(key);
    return true;
  }

  /** By namespace: one that cannot be read holds up no other (I3). */
  #ensureSynced(key: string): Promise<void> | undefined {
    const { namespace } = splitKey(key);
    const waiting = this.#options.sources.flatMap((source) => source.ensureSynced(namespace) ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  }

  async #process(item: QueueItem): Promise<void> {
    const startedAt = this.#clock.now();
    const { name, reconcileTimeoutMs = defaultReconcileTimeoutMs } = this.#options;
    const log = this.#options.log.child({ controller: name, key: item.key });
    const deadline = new Deadline({
      clock: this.#clock,
      timeoutMs: reconcileTimeoutMs,
      parent: this.#halt.signal,
      describe: `reconcile of ${item.key}`,
    });
    const run = this.#reconcile(item, deadline.signal, log).then((verdict) => {
      deadline.dispose();
      if (deadline.expired) this.#metrics?.timedOut();
      this.#settle(item, verdict, (this.#clock.now() - startedAt) / 1000, log);
    });
    const abandoned = aborted(deadline.signal).then(() => this.#within(abortGraceMs, run));
    await Promise.race([
      run,
      abandoned.then((finished) => {
        if (!finished) {
          log.error({ timeoutMs: reconcileTimeoutMs }, "reconcile ignores its abort; its key stays locked");
        }
      }),
    ]);
  }

  async #reconcile(item: QueueItem, signal: AbortSignal, log: Logger): Promise<Verdict> {
    try {
      const { key } = item;
      const failures = this.#queue.failures(key);
      return { result: await this.#options.reconcile({ key, ...splitKey(key), failures, signal, log }) };
    } catch (error) {
      // What was thrown because of the abort is less telling than the abort itself.
      return {
        error: signal.aborted && !(error instanceof Waiting || error instanceof Stalled) ? signal.reason : error,
      };
    }
  }

  #settle({ key, priority }: QueueItem, verdict: Verdict, seconds: number, log: Logger): void {
    this.#metrics?.reconciled(outcomeOf(verdict), seconds);
    if ("error" in verdict && isProgrammingError(verdict.error)) this.#metrics?.panicked();
    if ("result" in verdict) {
      this.#queue.forget(key);
      const afterMs = verdict.result.requeueAfterMs;
      if (afterMs !== undefined) this.#queue.add(key, { priority, afterMs: Math.max(1, afterMs) });
    } else if (verdict.error instanceof Waiting) {
      this.#queue.forget(key);
      this.#queue.add(key, { priority, afterMs: Math.max(1, verdict.error.retryMs * (1 + 0.1 * Math.random())) });
      log.debug({ reason: verdict.error.reason, detail: verdict.error.message }, "reconcile waits");
    } else if (verdict.error instanceof Stalled) {
      this.#queue.forget(key);
      log.warn({ reason: verdict.error.reason, err: verdict.error }, "reconcile stalled until a change");
    } else {
      const { error } = verdict;
      const atLeastMs = error instanceof ApiError ? error.retryAfterMs : undefined;
      const atMostMs = isAway(error) ? maxUnreachableRetryMs : undefined;
      const retryMs = Math.round(this.#queue.retry(key, { priority, atLeastMs, atMostMs }));
      log.warn({ retryMs, failures: this.#queue.failures(key), err: verdict.error }, "reconcile failed");
    }
    this.#queue.done(key);
  }
}

function outcomeOf(verdict: Verdict): ReconcileOutcome {
  if ("result" in verdict) return verdict.result.requeueAfterMs === undefined ? "success" : "requeue_after";
  if (verdict.error instanceof Waiting) return "requeue_after";
  return verdict.error instanceof Stalled ? "terminal_error" : "error";
}

/** What in Go would be a panic. No call of the kernel throws these: the transport has errors of its own. */
function isProgrammingError(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** The server cannot be reached, or must not be written to for now. What times out is left alone more and more. */
function isAway(error: unknown): boolean {
  return (error instanceof TransportError && !error.timedOut) || error instanceof CallRefused;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

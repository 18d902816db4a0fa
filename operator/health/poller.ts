// Asks everybody who has pods for their health, be it agents or the bridges of tool servers, each at its own moment of the
// interval, a few at once and never one twice at the same time. Those that gave no answer last time get half of the slots,
// so that many that hang take no turn from those that answer. Keeps the last verdict of each in memory and tells only of
// changes (HLT-6). What is asked, and what an answer means, is its question's business.
import { hashOf } from "../../lib/kube/canonical.ts";
import { Deadline } from "../../lib/kube/deadline.ts";
import { splitKey } from "../../lib/kube/object.ts";
import { sleep, systemClock, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { WatchedPods } from "./watched-pods.ts";

/** What reconcilers read. */
export interface Health<Verdict> {
  /** The last verdict on the owner of this key; undefined while there is none. */
  of(key: string): Verdict | undefined;
}

export interface HealthPoller<Verdict> extends Health<Verdict> {
  /** Asks until the signal is aborted; after it resolves nobody is asked any more. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** What is asked at the admin port of a pod, and what is made of the answer. */
export interface Question<Verdict> {
  /** Rejects unless the pod of the owner of this name answers as it should; with the signal's reason when that is aborted. */
  ask(url: string, name: string, signal: AbortSignal): Promise<Verdict>;
  /** On one that serves calls, but does not answer us. */
  judgeSilence(error: Error): Verdict;
  /** Whether two verdicts say the same, so that nothing is to be written. */
  isSame(a: Verdict | undefined, b: Verdict | undefined): boolean;
  /** Fields of a line of the log, nothing of it in a pod's own words. */
  describe(key: string, verdict: Verdict | undefined): object;
}

export interface HealthPollerOptions<Verdict> {
  readonly question: Question<Verdict>;
  readonly pods: WatchedPods;
  /** Told of each owner whose verdict is another than before. */
  readonly onChange: (key: string) => void;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly intervalMs?: number;
  /** Of one question. */
  readonly timeoutMs?: number;
  /** Owners asked at once. */
  readonly concurrency?: number;
}

/** The interval is cut into so many moments, among which the owners are spread by their names. */
const momentCount = 120;
/** An owner with many pods is well known after one answer; so many are tried for it. */
const podsTried = 3;
/** Ready pods that do not answer once may be on their way out. */
const failuresForgiven = 1;

export function createHealthPoller<Verdict>(options: HealthPollerOptions<Verdict>): HealthPoller<Verdict> {
  return new SpreadPoller(options);
}

interface Known<Verdict> {
  verdict: Verdict | undefined;
  failures: number;
  /** No pod answered when it was last asked. */
  isSilent: boolean;
}

class SpreadPoller<Verdict> implements HealthPoller<Verdict> {
  readonly #options: Required<HealthPollerOptions<Verdict>>;
  readonly #moments = Array.from({ length: momentCount }, () => new Set<string>());
  readonly #known = new Map<string, Known<Verdict>>();
  /** To be asked as soon as there is room, in this order. */
  readonly #due = new Set<string>();
  readonly #asking = new Map<string, Promise<void>>();
  /** Of those being asked, the ones that were silent before. */
  readonly #silentAsked = new Set<string>();
  #signal = AbortSignal.abort();

  constructor(options: HealthPollerOptions<Verdict>) {
    const defaults = { clock: systemClock, intervalMs: 30_000, timeoutMs: 8_000, concurrency: 32 };
    this.#options = { ...defaults, ...options };
  }

  of(key: string): Verdict | undefined {
    return this.#known.get(key)?.verdict;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, pods } = this.#options;
    this.#signal = signal;
    const disconnect = pods.onChange((key, initial) => this.#meet(key, initial));
    try {
      for (let moment = 0; !signal.aborted; moment = (moment + 1) % momentCount) {
        for (const key of this.#moments[moment] ?? []) if (!this.#asking.has(key)) this.#due.add(key);
        this.#askDue();
        await sleep(clock, intervalMs / momentCount, signal).catch(() => undefined); // Aborted: the loop ends.
      }
    } finally {
      disconnect();
      this.#due.clear();
      await Promise.all(this.#asking.values());
    }
  }

  /** Its pods are others than before: it is asked at once, or forgotten when it has none. */
  #meet(key: string, initial: boolean): void {
    const moment = this.#moments[Number.parseInt(hashOf(key).slice(0, 8), 16) % momentCount];
    if (this.#options.pods.of(key).length === 0) {
      moment?.delete(key);
      this.#due.delete(key);
      this.#settle(key, undefined);
      this.#known.delete(key);
      return;
    }
    moment?.add(key);
    if (!this.#known.has(key)) this.#known.set(key, { verdict: undefined, failures: 0, isSilent: false });
    if (initial) return; // After a start all would be asked at the same time.
    this.#due.add(key);
    this.#askDue();
  }

  #askDue(): void {
    for (const key of this.#due) {
      const { concurrency } = this.#options;
      if (this.#signal.aborted || this.#asking.size >= concurrency) return;
      if (this.#asking.has(key)) continue;
      const isSilent = this.#known.get(key)?.isSilent === true;
      if (isSilent && this.#silentAsked.size >= concurrency / 2) continue;
      this.#due.delete(key);
      if (isSilent) this.#silentAsked.add(key);
      const visit = this.#visit(key).finally(() => {
        this.#asking.delete(key);
        this.#silentAsked.delete(key);
        this.#askDue();
      });
      this.#asking.set(key, visit);
    }
  }

  async #visit(key: string): Promise<void> {
    let silence: Error | undefined;
    for (const { url, ready } of this.#options.pods.of(key).slice(0, podsTried)) {
      try {
        this.#answered(key, await this.#ask(key, url));
        return;
      } catch (error) {
        if (this.#signal.aborted) return;
        // A pod that is starting or failing need not answer.
        if (ready) silence ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    this.#unanswered(key, silence);
  }

  async #ask(key: string, url: string): Promise<Verdict> {
    const { clock, timeoutMs, question } = this.#options;
    const describe = `health of ${key}`;
    const deadline = new Deadline({ clock, timeoutMs, parent: this.#signal, describe });
    try {
      return await question.ask(url, splitKey(key).name, deadline.signal);
    } finally {
      deadline.dispose();
    }
  }

  #answered(key: string, verdict: Verdict): void {
    const known = this.#known.get(key);
    if (known === undefined) return; // Gone meanwhile.
    known.failures = 0;
    known.isSilent = false;
    this.#settle(key, verdict);
  }

  #unanswered(key: string, silence: Error | undefined): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    known.isSilent = true;
    if (silence === undefined) {
      this.#settle(key, undefined);
    } else {
      known.failures += 1;
      if (known.failures > failuresForgiven) this.#settle(key, this.#options.question.judgeSilence(silence));
    }
  }

  #settle(key: string, verdict: Verdict | undefined): void {
    const { log, onChange, question } = this.#options;
    const known = this.#known.get(key);
    if (known === undefined || question.isSame(known.verdict, verdict)) return;
    known.verdict = verdict;
    log.info(question.describe(key, verdict), "health changed");
    onChange(key);
  }
}

// Asks every agent that has pods for its health, each at its own moment of the interval, a few at once and never one
// twice at the same time. Those that gave no answer last time get half of the slots, so that many that hang take no turn
// from those that answer. Keeps the last verdict of each in memory and tells only of changes (HLT-6).
import { hashOf } from "../../lib/kube/canonical.ts";
import { Deadline } from "../../lib/kube/deadline.ts";
import { splitKey } from "../../lib/kube/object.ts";
import { sleep, systemClock, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { AgentPods } from "./agent-pods.ts";
import { askHealth } from "./ask-health.ts";
import { isSameVerdict, judgeReport, judgeSilence, type HealthVerdict } from "./verdict.ts";

/** What reconcilers read. */
export interface AgentHealth {
  /** The last verdict on the agent of this key; undefined while there is none. */
  of(agent: string): HealthVerdict | undefined;
}

export interface HealthPoller extends AgentHealth {
  /** Asks until the signal is aborted; after it resolves nobody is asked any more. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HealthPollerOptions {
  readonly pods: AgentPods;
  /** Told of each agent whose verdict is another than before. */
  readonly onChange: (agent: string) => void;
  readonly log: Logger;
  readonly ask?: typeof askHealth;
  readonly clock?: Clock;
  readonly intervalMs?: number;
  /** Of one question. */
  readonly timeoutMs?: number;
  /** Agents asked at once. */
  readonly concurrency?: number;
}

/** The interval is cut into so many moments, among which the agents are spread by their names. */
const momentCount = 120;
/** An agent with many pods is well known after one answer; so many are tried for it. */
const podsTried = 3;
/** Ready pods that do not answer once may be on their way out. */
const failuresForgiven = 1;

export function createHealthPoller(options: HealthPollerOptions): HealthPoller {
  return new SpreadPoller(options);
}

interface Known {
  verdict: HealthVerdict | undefined;
  failures: number;
  /** No pod answered when it was last asked. */
  isSilent: boolean;
}

class SpreadPoller implements HealthPoller {
  readonly #options: Required<HealthPollerOptions>;
  readonly #moments = Array.from({ length: momentCount }, () => new Set<string>());
  readonly #known = new Map<string, Known>();
  /** To be asked as soon as there is room, in this order. */
  readonly #due = new Set<string>();
  readonly #asking = new Map<string, Promise<void>>();
  /** Of those being asked, the ones that were silent before. */
  readonly #silentAsked = new Set<string>();
  #signal = AbortSignal.abort();

  constructor(options: HealthPollerOptions) {
    const defaults = { ask: askHealth, clock: systemClock, intervalMs: 30_000, timeoutMs: 8_000, concurrency: 32 };
    this.#options = { ...defaults, ...options };
  }

  of(agent: string): HealthVerdict | undefined {
    return this.#known.get(agent)?.verdict;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, pods } = this.#options;
    this.#signal = signal;
    const disconnect = pods.onChange((agent, initial) => this.#meet(agent, initial));
    try {
      for (let moment = 0; !signal.aborted; moment = (moment + 1) % momentCount) {
        for (const agent of this.#moments[moment] ?? []) if (!this.#asking.has(agent)) this.#due.add(agent);
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
  #meet(agent: string, initial: boolean): void {
    const moment = this.#moments[Number.parseInt(hashOf(agent).slice(0, 8), 16) % momentCount];
    if (this.#options.pods.of(agent).length === 0) {
      moment?.delete(agent);
      this.#due.delete(agent);
      this.#settle(agent, undefined);
      this.#known.delete(agent);
      return;
    }
    moment?.add(agent);
    if (!this.#known.has(agent)) this.#known.set(agent, { verdict: undefined, failures: 0, isSilent: false });
    if (initial) return; // After a start all would be asked at the same time.
    this.#due.add(agent);
    this.#askDue();
  }

  #askDue(): void {
    for (const agent of this.#due) {
      const { concurrency } = this.#options;
      if (this.#signal.aborted || this.#asking.size >= concurrency) return;
      if (this.#asking.has(agent)) continue;
      const isSilent = this.#known.get(agent)?.isSilent === true;
      if (isSilent && this.#silentAsked.size >= concurrency / 2) continue;
      this.#due.delete(agent);
      if (isSilent) this.#silentAsked.add(agent);
      const visit = this.#visit(agent).finally(() => {
        this.#asking.delete(agent);
        this.#silentAsked.delete(agent);
        this.#askDue();
      });
      this.#asking.set(agent, visit);
    }
  }

  async #visit(agent: string): Promise<void> {
    let silence: Error | undefined;
    for (const { url, ready } of this.#options.pods.of(agent).slice(0, podsTried)) {
      try {
        this.#answered(agent, await this.#ask(agent, url));
        return;
      } catch (error) {
        if (this.#signal.aborted) return;
        // A pod that is starting or failing need not answer.
        if (ready) silence ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    this.#unanswered(agent, silence);
  }

  async #ask(agent: string, url: string): Promise<HealthVerdict> {
    const { clock, timeoutMs, ask } = this.#options;
    const describe = `health of ${agent}`;
    const deadline = new Deadline({ clock, timeoutMs, parent: this.#signal, describe });
    try {
      return judgeReport(await ask(url, splitKey(agent).name, deadline.signal));
    } finally {
      deadline.dispose();
    }
  }

  #answered(agent: string, verdict: HealthVerdict): void {
    const known = this.#known.get(agent);
    if (known === undefined) return; // Gone meanwhile.
    known.failures = 0;
    known.isSilent = false;
    this.#settle(agent, verdict);
  }

  #unanswered(agent: string, silence: Error | undefined): void {
    const known = this.#known.get(agent);
    if (known === undefined) return;
    known.isSilent = true;
    if (silence === undefined) {
      this.#settle(agent, undefined);
    } else {
      known.failures += 1;
      if (known.failures > failuresForgiven) this.#settle(agent, judgeSilence(silence));
    }
  }

  #settle(agent: string, verdict: HealthVerdict | undefined): void {
    const known = this.#known.get(agent);
    if (known === undefined || isSameVerdict(known.verdict, verdict)) return;
    known.verdict = verdict;
    const { log, onChange } = this.#options;
    // Not the message: it is the agent's, of any length, and stands on its resource.
    const reasons = [verdict?.modelHealthy.reason, verdict?.downstreamsReachable.reason];
    log.info({ agent, health: verdict?.health ?? "unknown", reasons }, "agent health changed");
    onChange(agent);
  }
}

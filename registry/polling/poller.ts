// Asks every agent's pod the same question at an interval and keeps the last answers. A pod that hangs costs its own
// answer and, until its deadline, one of the slots that those have which failed before; a pod that is gone is forgotten at once, with what was asked of it.
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { systemClock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { podKey, type ResourceSource } from "../source/source.ts";

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

export interface Visit<T> {
  readonly endpoint: AgentEndpoint;
  readonly answer: Answer<T>;
  readonly durationMs: number;
  /** When the question that was last answered began, by the system's clock; undefined: none was yet. */
  readonly answeredAtMs: number | undefined;
}

export interface Poller<T> {
  /** The last answer of each pod that exists now and was asked already. */
  visits(): readonly Visit<T>[];
  start(): void;
  /** After it resolves nobody is asked any more. */
  stop(): Promise<void>;
}

export interface PollerOptions<T> {
  source: Pick<ResourceSource, "endpoints" | "onChange">;
  /** What is asked, for the log. */
  question: string;
  /** Rejects when there is no usable answer; must end when the signal aborts. */
  ask: (endpoint: AgentEndpoint, signal: AbortSignal) => Promise<T>;
  /** Between the starts of two questions to one pod. */
  intervalMs: number;
  /** Deadline of one question. */
  timeoutMs: number;
  /** Questions at once. */
  concurrency: number;
  log: Logger;
}

export function createPoller<T>(options: PollerOptions<T>): Poller<T> {
  return new EndpointPoller(options);
}

interface Pod<T> {
  readonly endpoint: AgentEndpoint;
  readonly gone: AbortController;
  dueAtMs: number;
  asking: boolean;
  last: Visit<T> | undefined;
}

class EndpointPoller<T> implements Poller<T> {
  readonly #options: PollerOptions<T>;
  readonly #pods = new Map<string, Pod<T>>();
  readonly #running = new Set<Promise<void>>();
  #known: readonly AgentEndpoint[] = [];
  #suspectsRunning = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #unsubscribe = () => {};

  constructor(options: PollerOptions<T>) {
    this.#options = options;
  }

  visits(): Visit<T>[] {
    return [...this.#pods.values()].flatMap(({ last }) => last ?? []);
  }

  start(): void {
    this.#unsubscribe = this.#options.source.onChange(() => this.#look());
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    for (const { gone } of this.#pods.values()) gone.abort(new Error("polling stopped"));
    await Promise.all(this.#running);
  }

  /** Takes over which pods exist, then asks those that are due. */
  #look(): void {
    if (this.#stopped) return;
    const endpoints = this.#options.source.endpoints();
    if (endpoints === this.#known) return;
    this.#known = endpoints;
    const now = systemClock.now();
    const found = new Map(endpoints.map((endpoint) => [podKey(endpoint), endpoint]));
    for (const [key, pod] of this.#pods) {
      // A pod whose address changed is another process.
      if (found.get(key)?.adminUrl === pod.endpoint.adminUrl) continue;
      this.#pods.delete(key);
      pod.gone.abort(new Error("the pod is gone"));
    }
    for (const [key, endpoint] of found) {
      if (this.#pods.has(key)) continue;
      this.#pods.set(key, { endpoint, gone: new AbortController(), dueAtMs: now, asking: false, last: undefined });
    }
    this.#askDue();
  }

  #askDue(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    const now = systemClock.now();
    const waiting = [...this.#pods.values()].filter(({ asking }) => !asking).toSorted((a, b) => a.dueAtMs - b.dueAtMs);
    for (const pod of waiting) {
      // Whoever ends its turn looks again.
      if (this.#running.size >= this.#options.concurrency) return;
      if (pod.dueAtMs > now) {
        this.#timer = setTimeout(() => this.#askDue(), pod.dueAtMs - now);
        return;
      }
      if (isSuspect(pod) && this.#suspectsRunning >= this.#options.concurrency / 2) continue;
      // Spread over the interval after the first round, in which all are asked at once.
      const share = pod.last === undefined ? Math.random() : 1;
      pod.dueAtMs = now + this.#options.intervalMs * share;
      this.#ask(pod);
    }
  }

  #ask(pod: Pod<T>): void {
    const suspect = isSuspect(pod);
    if (suspect) this.#suspectsRunning += 1;
    pod.asking = true;
    const asking = this.#visit(pod).finally(() => {
      if (suspect) this.#suspectsRunning -= 1;
      pod.asking = false;
      this.#running.delete(asking);
      this.#askDue();
    });
    this.#running.add(asking);
  }

  async #visit(pod: Pod<T>): Promise<void> {
    const { ask, question, timeoutMs, log } = this.#options;
    const startedMs = systemClock.now();
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), pod.gone.signal]);
    const answer = await ask(pod.endpoint, signal).then(
      (value): Answer<T> => ({ ok: true, value }),
      (error: unknown): Answer<T> => ({ ok: false, error: error instanceof Error ? error : new Error(String(error)) }),
    );
    if (pod.gone.signal.aborted) return;
    // One line per change of state, not per question.
    const fields = { agent: pod.endpoint.agent, pod: pod.endpoint.pod, question };
    const failedBefore = pod.last?.answer.ok === false;
    if (!answer.ok && !failedBefore) log.warn({ ...fields, err: answer.error }, "agent does not answer");
    if (answer.ok && failedBefore) log.info(fields, "agent answers again");
    const answeredAtMs = answer.ok ? startedMs : pod.last?.answeredAtMs;
    pod.last = { endpoint: pod.endpoint, answer, durationMs: systemClock.now() - startedMs, answeredAtMs };
  }
}

/** Pods that failed last time get half of the slots, so that many that hang take no turn from those that answer. */
const isSuspect = ({ last }: Pod<unknown>): boolean => last?.answer.ok === false;

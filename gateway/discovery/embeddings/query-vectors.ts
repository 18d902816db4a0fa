// The vector of a query, for which a caller waits: so it comes in a moment or not at all. What comes later is kept for when the same is
// asked again. An endpoint that is late or fails again and again is left alone for a while, so that nobody waits for it in vain.
import { Backoff } from "../../../lib/kube/backoff.ts";
import { settledWithin, type Clock } from "../../../lib/process/clock.ts";
import type { EmbeddingsClient } from "./client.ts";
import { EmbeddingsError } from "./problem.ts";
import { cutBytes, maxTextBytes } from "./tool-text.ts";

const queryLimits = {
  /** What a caller waits. */
  waitMs: 800,
  /** What the request may take. */
  timeoutMs: 10_000,
  maxKept: 256,
  /** Queries of one moment go out together. */
  maxTogether: 32,
  maxRequests: 8,
  /** Failures in a row, after which it is left alone. */
  maxFailures: 3,
  maxPauseMs: 60_000,
} as const;

export type QueryOutcome = "ok" | "late" | "error";

export interface QueryVectorsParts {
  client: Pick<EmbeddingsClient, "embed">;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  /** Each request, by how it ended: late when a caller went on without. */
  countRequest: (outcome: QueryOutcome) => void;
  onWidth: (width: number) => void;
  /** Whether it is left alone may be another matter now. */
  onChange: () => void;
}

export class QueryVectors {
  readonly #parts: QueryVectorsParts;
  readonly #backoff: Backoff;
  readonly #closing = new AbortController();
  /** The longest unused first. */
  readonly #kept = new Map<string, Float32Array>();
  readonly #underWay = new Map<string, Promise<Float32Array | undefined>>();
  #waiting: { text: string; resolve: (vector: Float32Array | undefined) => void }[] = [];
  #requests = 0;
  #failures = 0;
  #pausedUntil = -Infinity;
  #problem: string | undefined;

  constructor(parts: QueryVectorsParts) {
    this.#parts = parts;
    this.#backoff = new Backoff({ initialMs: 2_000, maxMs: queryLimits.maxPauseMs, random: parts.random });
  }

  /** Why queries go without a vector, for people; undefined while they have one, or failed only now and then. */
  get problem(): string | undefined {
    return this.#failures >= queryLimits.maxFailures ? this.#problem : undefined;
  }

  /** A unit vector of `width` numbers; undefined where none comes in time. Never rejects. */
  async embed(query: string, width: number): Promise<Float32Array | undefined> {
    const text = cutBytes(query.slice(0, maxTextBytes).trim(), maxTextBytes);
    const kept = this.#kept.get(text);
    if (kept?.length === width) {
      this.#keep(text, kept);
      return kept;
    }
    if (text === "" || !this.#mayAsk()) return undefined;
    const { clock } = this.#parts;
    const vector = this.#underWay.get(text) ?? this.#ask(text);
    if (!(await settledWithin(vector, queryLimits.waitMs, clock))) return undefined;
    const found = await vector;
    return found?.length === width ? found : undefined;
  }

  close(): void {
    this.#closing.abort(new Error("the gateway is shutting down"));
  }

  /** Of one that failed too often a single request at a time finds out whether it is well again. */
  #mayAsk(): boolean {
    const isTried = this.#failures >= queryLimits.maxFailures;
    if (isTried && (this.#requests > 0 || this.#waiting.length > 0)) return false;
    if (this.#parts.clock.now() < this.#pausedUntil) return false;
    return this.#requests < queryLimits.maxRequests || this.#waiting.length > 0;
  }

  #ask(text: string): Promise<Float32Array | undefined> {
    const { promise, resolve } = Promise.withResolvers<Float32Array | undefined>();
    this.#underWay.set(text, promise);
    this.#waiting.push({ text, resolve });
    if (this.#waiting.length === 1) setImmediate(() => this.#send());
    return promise;
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += queryLimits.maxTogether) {
      void this.#request(waiting.slice(from, from + queryLimits.maxTogether));
    }
  }

  /** Never rejects. */
  async #request(
    asked: readonly { text: string; resolve: (vector: Float32Array | undefined) => void }[],
  ): Promise<void> {
    const { client, clock, countRequest, onWidth } = this.#parts;
    this.#requests += 1;
    let isLate = false;
    const lateTimer = clock.schedule(queryLimits.waitMs, () => {
      isLate = true;
      countRequest("late");
      this.#failed(new EmbeddingsError("late", `no answer within ${queryLimits.waitMs} ms; queries go without`));
    });
    const texts = asked.map(({ text }) => text);
    let vectors: readonly Float32Array[] = [];
    try {
      vectors = await client.embed(texts, { timeoutMs: queryLimits.timeoutMs, signal: this.#closing.signal });
      const width = vectors[0]?.length;
      if (width !== undefined) onWidth(width);
      for (const [at, text] of texts.entries()) {
        const vector = vectors[at];
        if (vector !== undefined) this.#keep(text, vector);
      }
      if (!isLate) {
        countRequest("ok");
        this.#succeeded();
      }
    } catch (error) {
      if (!isLate && !this.#closing.signal.aborted) {
        countRequest("error");
        this.#failed(error);
      }
    } finally {
      lateTimer.cancel();
      this.#requests -= 1;
      for (const [at, { text, resolve }] of asked.entries()) {
        this.#underWay.delete(text);
        resolve(vectors[at]);
      }
    }
  }

  #keep(text: string, vector: Float32Array): void {
    this.#kept.delete(text);
    this.#kept.set(text, vector);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= queryLimits.maxKept) break;
      this.#kept.delete(oldest);
    }
  }

  #succeeded(): void {
    const wasLeftAlone = this.problem !== undefined;
    this.#failures = 0;
    this.#problem = undefined;
    this.#backoff.reset();
    if (wasLeftAlone) this.#parts.onChange();
  }

  #failed(error: unknown): void {
    // What one caller's query is refused for is nothing that others wait for in vain.
    if (error instanceof EmbeddingsError && error.kind === "refused") return;
    this.#problem = error instanceof EmbeddingsError ? error.message : "the endpoint cannot be asked";
    this.#failures += 1;
    if (this.#failures < queryLimits.maxFailures) return;
    this.#pausedUntil = this.#parts.clock.now() + this.#backoff.nextMs();
    this.#parts.onChange();
  }
}

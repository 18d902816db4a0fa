// The vectors of all tools that are known, fetched in the background: a few batches at once, each text once however often servers list
// it. Whoever asks gets those of a server when each of its tools has one. Everything is in memory: after a restart it is fetched anew.
import { createHash } from "node:crypto";
import type { VectorList } from "../../../lib/search/searchable.ts";
import { Backoff } from "../../../lib/kube/backoff.ts";
import type { Clock, Timer } from "../../../lib/process/clock.ts";
import { embedBatch } from "./batch.ts";
import type { EmbeddingsClient } from "./client.ts";
import { EmbeddingsError } from "./problem.ts";
import { inSlices } from "./sliced.ts";
import { VectorCache } from "./vector-cache.ts";
import { WantedTexts, type Texts } from "./wanted-texts.ts";

export const storeLimits = {
  /** Texts whose vectors are held; and their bytes, one a number. */
  maxVectors: 65_536,
  maxBytes: 64 * 1024 * 1024,
  /** Of one request. An answer of so many numbers is parsed in a few milliseconds. */
  maxBatch: 256,
  maxBatchNumbers: 100_000,
  maxAtOnce: 2,
  batchTimeoutMs: 30_000,
  /** What is wanted within this time goes out together. */
  settleMs: 50,
  /** Between two tries of an endpoint that fails. */
  maxPauseMs: 5 * 60_000,
  /** Of what it asks for itself. */
  maxRetryAfterMs: 10 * 60_000,
  /** Texts that it may refuse; beyond that it is no matter of the texts. */
  maxRefused: 32,
} as const;
export type StoreLimits = Record<keyof typeof storeLimits, number>;

/** Asked for first and alone, so that an endpoint that is none costs one small request a try. */
const probeText = "tool";

export interface VectorStoreParts {
  client: Pick<EmbeddingsClient, "embed">;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  /** Each request, by how it ended. */
  countRequest: (outcome: "ok" | "error") => void;
  /** What is wrong may be something else by now. */
  onChange: () => void;
  /** Each tool of that server has a vector now. */
  onComplete: (server: string) => void;
  limits?: Partial<StoreLimits>;
}

export class VectorStore {
  readonly #parts: VectorStoreParts;
  readonly #limits: StoreLimits;
  readonly #cache: VectorCache;
  readonly #wanted: WantedTexts;
  readonly #backoff: Backoff;
  readonly #closing = new AbortController();
  /** Under way now. */
  readonly #asked = new Set<string>();
  /** Texts that the endpoint refuses at any length. */
  readonly #refused = new Set<string>();
  /** The latest want of each server that is under way. */
  readonly #turns = new Map<string, object>();
  #width: number | undefined;
  #fittingSize: number;
  #running = 0;
  #timer: Timer | undefined;
  #pausedUntil = -Infinity;
  #problem: string | undefined;
  /** The width was another since all texts had vectors. */
  #isWidthNew = false;
  /** How often it was another. */
  #widths = 0;

  constructor(parts: VectorStoreParts) {
    this.#parts = parts;
    this.#limits = { ...storeLimits, ...parts.limits };
    this.#cache = new VectorCache(this.#limits);
    this.#wanted = new WantedTexts(this.#cache);
    this.#fittingSize = this.#limits.maxBatch;
    this.#backoff = new Backoff({ initialMs: 1_000, maxMs: this.#limits.maxPauseMs, random: parts.random });
  }

  /** Different texts of tools; those that have a vector; of these, those that have one without meaning, since they are refused. */
  get counts(): { texts: number; embedded: number; refused: number } {
    const embedded = this.#cache.keptCount;
    const refused = [...this.#refused].filter((key) => this.#cache.isKept(key)).length;
    return { texts: embedded + this.#wanted.missingCount, embedded, refused };
  }

  get isComplete(): boolean {
    return this.#wanted.missingCount === 0;
  }

  /** Numbers in a vector; undefined before the first. */
  get width(): number | undefined {
    return this.#width;
  }

  /** Why texts have no vectors, for people; undefined while they have, or are asked for. */
  get problem(): string | undefined {
    return this.isComplete ? undefined : (this.#findExcess() ?? this.#problem);
  }

  /** Replaces the texts of a server's tools. Resolves once they are taken note of; of two calls at once the later one counts. */
  async want(server: string, texts: Texts): Promise<void> {
    const turn = {};
    this.#turns.set(server, turn);
    const keys: string[] = [];
    const indexes = Array.from({ length: texts.length }, (_, at) => at);
    await inSlices(indexes, this.#parts.clock, (at) => keys.push(keyOf(texts.at(at))));
    if (this.#turns.get(server) !== turn) return;
    this.#turns.delete(server);
    this.#wanted.put(server, texts, keys);
    this.#pumpIn(this.#limits.settleMs);
  }

  forget(server: string): void {
    this.#turns.delete(server);
    this.#wanted.remove(server);
    this.#pumpIn(this.#limits.settleMs);
  }

  /** In the order of the texts that were wanted last; undefined while one has none. */
  vectorsOf(server: string): VectorList | undefined {
    const keys = this.#turns.has(server) ? undefined : this.#wanted.completeKeys(server);
    return keys && { length: keys.length, at: (index) => this.#cache.get(keys[index] ?? "") };
  }

  /** The endpoint gives vectors of so many numbers now. Where they were others before, all texts are asked for anew. */
  observeWidth(width: number): void {
    const before = this.#width;
    this.#width = width;
    if (before === undefined || before === width) return;
    this.#cache.clear();
    this.#refused.clear();
    this.#wanted.lostAll();
    this.#isWidthNew = true;
    this.#widths += 1;
    // One that goes on like that is asked less and less often.
    this.#pause(`the endpoint gave vectors of ${before} numbers and now of ${width}; all are asked for anew`);
    this.#pump();
  }

  close(): void {
    this.#timer?.cancel();
    this.#closing.abort(new Error("the gateway is shutting down"));
  }

  #findExcess(): string | undefined {
    const { maxVectors, maxBytes } = this.#limits;
    const { texts } = this.counts;
    if (texts > maxVectors) return `expected at most ${maxVectors} tools of different texts, found ${texts}`;
    const bytes = texts * (this.#width ?? 0);
    if (bytes <= maxBytes) return undefined;
    const found = `vectors of ${texts} tools, of ${this.#width} numbers each, take ${bytes} bytes`;
    return `expected at most ${maxBytes} bytes of vectors, found that ${found}; take a model of fewer dimensions`;
  }

  #pumpIn(delayMs: number): void {
    this.#timer ??= this.#parts.clock.schedule(delayMs, () => {
      this.#timer = undefined;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#closing.signal.aborted || this.isComplete) return;
    const leftMs = this.#pausedUntil - this.#parts.clock.now();
    if (leftMs > 0) {
      this.#pumpIn(leftMs);
      return;
    }
    if (this.#findExcess() !== undefined) {
      this.#parts.onChange();
      return;
    }
    while (this.#running < (this.#width === undefined ? 1 : this.#limits.maxAtOnce)) {
      const keys = this.#width === undefined ? [] : this.#take();
      if (this.#width !== undefined && keys.length === 0) return;
      this.#running += 1;
      void this.#fetch(keys).finally(() => {
        this.#running -= 1;
        for (const key of keys) this.#asked.delete(key);
        this.#pump();
      });
    }
  }

  #take(): string[] {
    const { maxBatchNumbers } = this.#limits;
    const size = Math.min(this.#fittingSize, Math.max(1, Math.floor(maxBatchNumbers / (this.#width ?? 1))));
    const keys: string[] = [];
    for (const key of this.#wanted.missingKeys()) {
      if (keys.length >= size) break;
      if (this.#asked.has(key)) continue;
      keys.push(key);
      this.#asked.add(key);
    }
    return keys;
  }

  /** Without keys: finds out how wide vectors are. Never rejects. */
  async #fetch(keys: readonly string[]): Promise<void> {
    const texts = keys.map((key) => this.#wanted.textOf(key) ?? probeText);
    const widths = this.#widths;
    try {
      if (keys.length === 0) {
        const [vector] = await this.#ask([probeText]);
        if (vector !== undefined) this.observeWidth(vector.length);
      } else {
        const maxRefused = this.#limits.maxRefused - this.#refused.size;
        const { vectors, fittingSize = this.#fittingSize } = await embedBatch(texts, this.#ask, maxRefused);
        this.#fittingSize = Math.min(this.#fittingSize, fittingSize);
        const width = vectors.find((vector) => vector !== undefined)?.length ?? this.#width;
        // What was asked for before all was asked for anew says nothing of now.
        const isOfNow = widths === this.#widths || width === this.#width;
        if (width !== undefined && isOfNow) this.#store(keys, vectors, width);
      }
      this.#succeeded();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const known = error instanceof EmbeddingsError ? error : undefined;
      this.#pause(known?.message ?? "the endpoint cannot be asked", known?.retryAfterMs);
    }
    this.#parts.onChange();
  }

  readonly #ask = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const { batchTimeoutMs: timeoutMs } = this.#limits;
    try {
      const vectors = await this.#parts.client.embed(texts, { timeoutMs, signal: this.#closing.signal });
      this.#parts.countRequest("ok");
      return vectors;
    } catch (error) {
      this.#parts.countRequest("error");
      throw error;
    }
  };

  #store(keys: readonly string[], vectors: readonly (Float32Array | undefined)[], width: number): void {
    this.observeWidth(width);
    const complete = new Set<string>();
    for (const [at, key] of keys.entries()) {
      const vector = vectors[at];
      // Of another width than the rest of its batch, which was halved.
      if (vector !== undefined && vector.length !== width) continue;
      if (vector === undefined) this.#refused.add(key);
      const hasMeaning = vector?.some((value) => value !== 0) === true;
      if (!this.#cache.add(key, hasMeaning ? vector : meaningless(width))) continue;
      for (const server of this.#wanted.found(key)) complete.add(server);
    }
    for (const server of complete) this.#parts.onComplete(server);
  }

  #succeeded(): void {
    if (this.isComplete) this.#isWidthNew = false;
    if (this.#isWidthNew) return;
    this.#backoff.reset();
    this.#problem = undefined;
  }

  #pause(problem: string, retryAfterMs = 0): void {
    this.#problem = problem;
    const pauseMs = Math.max(this.#backoff.nextMs(), Math.min(retryAfterMs, this.#limits.maxRetryAfterMs));
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#parts.clock.now() + pauseMs);
  }
}

/** The endpoint and its model never change in the life of a process: the text alone says which vector it is. */
const keyOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 24);

/** Like nothing in particular. */
function meaningless(width: number): Float32Array {
  const vector = new Float32Array(width);
  vector[0] = 1;
  return vector;
}

// A catalogue of tools that answers requests in words. Holds names, terms and vectors, no texts.
import { buildSegment, sweep, type Plan } from "./build.ts";
import { Catalogue } from "./catalogue.ts";
import { estimate, toConfidence, type Confidence } from "./confidence.ts";
import { readQuery } from "./query.ts";
import { rank, type RankRequest } from "./rank.ts";
import type { Accept, SearchableServer, SearchableTool, VectorList, WordTable } from "./searchable.ts";
import { suggest, type Suggestion } from "./suggest.ts";
import { WorkLine } from "./work-line.ts";

/** Matches in an answer. */
const maxMatches = 100;
/** Tools that are gone but still have postings, before those are swept away: so many, or this part of the live ones. */
const minDead = 1_000;
const maxDeadShare = 0.25;

export interface Match {
  readonly server: string;
  readonly tool: string;
  /** The probability, 0 to 1, that this is the tool that was meant. */
  readonly score: number;
}

export interface SearchResult {
  /** Best first. */
  readonly matches: readonly Match[];
  /** How sure the first match is. */
  readonly confidence: Confidence;
  /** Of the first match; 0 with none. */
  readonly score: number;
}

interface Pending {
  plan: Plan | undefined;
  cancelled: boolean;
  readonly done: Promise<void>;
}

export class SearchIndex {
  readonly #catalogue: Catalogue;
  readonly #line = new WorkLine();
  readonly #words: WordTable | undefined;
  readonly #semanticWeight: number;
  /** Of each server what is not begun yet, and what is under way. */
  readonly #waiting = new Map<string, Pending>();
  readonly #running = new Map<string, Pending>();
  #sweeping = false;

  /** @param options.semanticWeight the part, 0 to 1, that meaning has in the order. Without `words` it is by words only. */
  constructor(options: { words?: WordTable; semanticWeight?: number } = {}) {
    this.#words = options.words;
    this.#catalogue = new Catalogue(options.words?.width);
    this.#semanticWeight = options.semanticWeight ?? 0.3;
  }

  /** Tools that can be found. */
  get size(): number {
    return this.#catalogue.slots.live;
  }

  /** Whether there are tools, and a vector of each from outside, all of one width. */
  get hasAllVectors(): boolean {
    return this.#catalogue.outside !== undefined;
  }

  /**
   * Replaces what is known of that server: at once for whoever searches, as soon as the promise resolves; until then the
   * earlier tools answer. The work is done in slices of a few milliseconds. Of several puts of a server that wait, only
   * the last is done, and all of them resolve with it.
   *
   * @param options.vectors of an embedding of the caller's, one a tool, all of one width; read while the work is done. Rejects with a RangeError when
   *   there are not as many as tools, or more than `maxSlots` tools altogether.
   */
  put(
    server: SearchableServer,
    tools: readonly SearchableTool[],
    options: { vectors?: VectorList } = {},
  ): Promise<void> {
    const { vectors } = options;
    if (vectors !== undefined && vectors.length !== tools.length) {
      const problem = `expected a vector for each of the ${tools.length} tools of ${server.name}, found ${vectors.length}`;
      return Promise.reject(new RangeError(problem));
    }
    const plan = { server, tools, vectors };
    const waiting = this.#waiting.get(server.name);
    if (waiting !== undefined) {
      waiting.plan = plan;
      return waiting.done;
    }
    const pending: Pending = { plan, cancelled: false, done: this.#line.add(() => this.#begin(server.name, pending)) };
    this.#waiting.set(server.name, pending);
    return pending.done;
  }

  /** Forgets the server at once; puts of it that are not done do nothing any more, and resolve. */
  remove(server: string): void {
    const waiting = this.#waiting.get(server);
    if (waiting !== undefined) waiting.plan = undefined;
    this.#waiting.delete(server);
    const running = this.#running.get(server);
    if (running !== undefined) running.cancelled = true;
    this.#catalogue.remove(server);
    this.#sweepIfNeeded();
  }

  /**
   * The tools that a request in words means, best first.
   *
   * @param options.limit matches wanted, at most `maxMatches`.
   * @param options.accept which tools the caller may see; no other has any influence on the matches and how sure they are.
   * @param options.queryVector used in place of the word table while `hasAllVectors` holds for its width.
   */
  search(query: string, options: { limit: number; accept?: Accept; queryVector?: Float32Array }): SearchResult {
    const { words, terms } = readQuery(query);
    const limit = Math.max(0, Math.min(maxMatches, Math.trunc(options.limit)));
    const ranked = rank(this.#catalogue, {
      terms,
      meaning: this.#toMeaning(words, options.queryVector),
      semanticWeight: this.#semanticWeight,
      limit,
      accept: options.accept,
    });
    let least = 1;
    const matches = ranked.map(({ server, tool, evidence }): Match => {
      least = Math.min(least, estimate(evidence));
      return { server, tool, score: least };
    });
    const score = matches[0]?.score ?? 0;
    return { matches, confidence: toConfidence(score, ranked[0]?.evidence), score };
  }

  /** Names like one that is unknown, most alike first: of a tool alone, `server__tool` or `mcp__server__tool`. */
  suggest(name: string, options: { limit: number; accept?: Accept }): readonly Suggestion[] {
    return suggest(this.#catalogue, name, options);
  }

  #toMeaning(words: readonly string[], queryVector: Float32Array | undefined): RankRequest["meaning"] {
    const { outside, meanings } = this.#catalogue;
    if (queryVector !== undefined && outside?.width === queryVector.length) {
      return { query: queryVector, vectors: outside, isOutside: true };
    }
    const query = this.#words?.embed(words);
    return query === undefined || meanings === undefined ? undefined : { query, vectors: meanings };
  }

  *#begin(server: string, pending: Pending): Generator<number, void> {
    if (pending.plan === undefined) return;
    this.#waiting.delete(server);
    this.#running.set(server, pending);
    try {
      const context = { words: this.#words, isCancelled: () => pending.cancelled };
      yield* buildSegment(this.#catalogue, pending.plan, context);
    } finally {
      this.#running.delete(server);
      this.#sweepIfNeeded();
    }
  }

  #sweepIfNeeded(): void {
    const { slots } = this.#catalogue;
    if (this.#sweeping || slots.dead < Math.max(minDead, slots.live * maxDeadShare)) return;
    this.#sweeping = true;
    void this.#line.add(() => this.#sweep());
  }

  *#sweep(): Generator<number, void> {
    yield* sweep(this.#catalogue);
    this.#sweeping = false;
  }
}

// A search index whose tools and queries have the vectors of an outside endpoint, as soon as they have them: until every tool has its
// vector, and whenever the endpoint is late or fails, the index answers by what it brings itself, and says so. It answers always.
import type { SearchableServer, SearchableTool } from "../../../lib/search/searchable.ts";
import type { SearchIndex, SearchResult } from "../../../lib/search/search-index.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { Logger } from "../../../lib/process/log.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import type { EmbeddingsClient } from "./client.ts";
import { QueryVectors } from "./query-vectors.ts";
import { createStateLog, type EmbeddingsState, type StateLog } from "./state-log.ts";
import { renderToolText } from "./tool-text.ts";
import { Turns } from "./turns.ts";
import { VectorStore, type StoreLimits } from "./vector-store.ts";

export interface EmbeddingsStatus {
  provider: "static" | "none" | "openai";
  model?: string;
  /** Tools of different texts, and those of them that have a vector. */
  tools?: number;
  embedded?: number;
  /** Of these, those whose texts the endpoint refuses: they are found by their words alone. */
  refused?: number;
  /** Whether tools are searched without the endpoint now. */
  degraded?: boolean;
  last_error?: string;
}

type SearchOptions = Omit<Parameters<SearchIndex["search"]>[1], "queryVector">;

export type FoundTools = SearchResult & {
  /** It was not ranked by what was configured. */
  degraded: boolean;
};

export interface ToolSearch {
  /** Tools that can be found. */
  readonly size: number;
  put(server: SearchableServer, tools: readonly SearchableTool[]): Promise<void>;
  remove(server: string): void;
  /** Never rejects because of the endpoint, and waits for it no longer than a moment. */
  search(query: string, options: SearchOptions): Promise<FoundTools>;
  suggest: SearchIndex["suggest"];
  observeEmbeddings(): EmbeddingsStatus;
  close(): Promise<void>;
}

/** By what the index brings itself. */
export const plainSearch = (index: SearchIndex, provider: "static" | "none", turns = new Turns()): ToolSearch => ({
  get size() {
    return index.size;
  },
  put: (server, tools) => index.put(server, tools),
  remove: (server) => index.remove(server),
  async search(query, options) {
    await turns.take();
    return { ...index.search(query, options), degraded: false };
  },
  suggest: (name, options) => index.suggest(name, options),
  observeEmbeddings: () => ({ provider }),
  close: async () => undefined,
});

export interface EmbeddedSearchParts {
  index: SearchIndex;
  client: EmbeddingsClient;
  /** As people are told. */
  model: string;
  metrics: Pick<GatewayMetrics, "countEmbeddingsRequest" | "setEmbeddings">;
  log: Logger;
  clock: Clock;
  /** Between 0 and 1. */
  random?: () => number;
  limits?: Partial<StoreLimits>;
}

/** Closes the client with it. */
export class EmbeddedSearch implements ToolSearch {
  readonly #parts: EmbeddedSearchParts;
  readonly #store: VectorStore;
  readonly #queries: QueryVectors;
  readonly #stateLog: StateLog;
  readonly #turns = new Turns();
  /** As they were put last. */
  readonly #known = new Map<string, { server: SearchableServer; tools: readonly SearchableTool[] }>();

  constructor(parts: EmbeddedSearchParts) {
    const { client, metrics, log, clock, random = Math.random, limits } = parts;
    const onChange = () => this.#tell();
    this.#parts = parts;
    this.#stateLog = createStateLog({ log, clock });
    this.#store = new VectorStore({
      ...{ client, clock, random, onChange, ...defined({ limits }) },
      countRequest: (outcome) => metrics.countEmbeddingsRequest("index", outcome),
      onComplete: (name) => void this.#indexAnew(name),
    });
    this.#queries = new QueryVectors({
      ...{ client, clock, random, onChange },
      countRequest: (outcome) => metrics.countEmbeddingsRequest("query", outcome),
      onWidth: (width) => this.#store.observeWidth(width),
    });
  }

  get size(): number {
    return this.#parts.index.size;
  }

  async put(server: SearchableServer, tools: readonly SearchableTool[]): Promise<void> {
    const entry = { server, tools };
    this.#known.set(server.name, entry);
    await this.#store.want(server.name, { length: tools.length, at: (at) => textOf(server, tools[at]) });
    if (this.#known.get(server.name) !== entry) return;
    this.#tell();
    await this.#parts.index.put(server, tools, defined({ vectors: this.#store.vectorsOf(server.name) }));
  }

  remove(server: string): void {
    this.#known.delete(server);
    this.#store.forget(server);
    this.#parts.index.remove(server);
    this.#tell();
  }

  async search(query: string, options: SearchOptions): Promise<FoundTools> {
    const { index } = this.#parts;
    const { width } = this.#store;
    const hasAll = () => index.hasAllVectors && this.#store.isComplete && this.#store.width === width;
    const queryVector = width !== undefined && hasAll() ? await this.#queries.embed(query, width) : undefined;
    await this.#turns.take();
    // Tools may have changed while it was waited for.
    const isRanked = queryVector !== undefined && hasAll();
    const found = index.search(query, { ...options, ...(isRanked && { queryVector }) });
    return { ...found, degraded: !isRanked && index.size > 0 };
  }

  suggest(...asked: Parameters<SearchIndex["suggest"]>): ReturnType<SearchIndex["suggest"]> {
    return this.#parts.index.suggest(...asked);
  }

  observeEmbeddings(): EmbeddingsStatus {
    const { counts, isComplete, problem } = this.#observe();
    const { texts: tools, embedded, refused } = counts;
    const degraded = !isComplete || problem !== undefined;
    const told = { tools, embedded, ...(refused > 0 && { refused }), degraded };
    return { provider: "openai", model: this.#parts.model, ...told, ...defined({ last_error: problem }) };
  }

  async close(): Promise<void> {
    this.#store.close();
    this.#queries.close();
    this.#stateLog.close();
    await this.#parts.client.close();
  }

  #observe(): EmbeddingsState {
    const { counts, isComplete, problem } = this.#store;
    return { counts, isComplete, problem: problem ?? this.#queries.problem };
  }

  #tell(): void {
    const state = this.#observe();
    this.#stateLog.tell(state);
    const { texts, embedded } = state.counts;
    this.#parts.metrics.setEmbeddings({ embedded, missing: texts - embedded, isFailing: state.problem !== undefined });
  }

  async #indexAnew(name: string): Promise<void> {
    const entry = this.#known.get(name);
    const vectors = this.#store.vectorsOf(name);
    if (entry === undefined || vectors === undefined) return;
    try {
      await this.#parts.index.put(entry.server, entry.tools, { vectors });
    } catch (error) {
      this.#parts.log.error({ server: name, err: error }, "tools cannot be indexed with their embeddings");
    }
  }
}

const textOf = (server: SearchableServer, tool: SearchableTool | undefined): string =>
  tool === undefined ? "" : renderToolText(server, tool);

// A search index with embeddings for tests: a real endpoint on loopback that fails as a test says, a clock that is moved by hand, and
// everything that is told on the way.
import { expect, onTestFinished } from "vitest";
import { createLogger } from "../../../lib/process/log.ts";
import { ManualClock } from "../../../lib/process/testing/manual-clock.ts";
import { SearchIndex } from "../../../lib/search/search-index.ts";
import type { SearchableTool } from "../../../lib/search/searchable.ts";
import { createEmbeddingsClient } from "./client.ts";
import { EmbeddedSearch, type ToolSearch } from "./embedded-index.ts";
import type { StoreLimits } from "./vector-store.ts";

export const sceneKey = "sk-very-secret-0123456789";

/** An endpoint, by its base URL. */
interface Endpoint {
  url: string;
  close(): Promise<void>;
}

export interface EmbeddedScene<Server extends Endpoint> {
  server: Server;
  search: ToolSearch;
  clock: ManualClock;
  logs: Record<string, unknown>[];
  /** Requests by purpose and outcome: `index ok`. */
  counted: string[];
  /** As the gauges have it. */
  gauges: { embedded: number; missing: number; isFailing: boolean };
  put(server: string, tools: readonly SearchableTool[]): Promise<void>;
  /** Moves time on until every tool has its vector. */
  fill(): Promise<void>;
  ask(query: string): Promise<{ found: string | undefined; degraded: boolean }>;
}

export const tool = (name: string, description: string): SearchableTool => ({ name, description, parameters: [] });

/** So many tools of different texts. */
export const manyTools = (count: number, prefix = "tool"): SearchableTool[] =>
  Array.from({ length: count }, (_, at) => tool(`${prefix}_${at}`, `Does what ${prefix} number ${at} does`));

/** Closes the server after the test. */
export function openEmbeddedScene<Server extends Endpoint>(
  server: Server,
  limits: Partial<StoreLimits> = {},
): EmbeddedScene<Server> {
  const clock = new ManualClock();
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({
    logger: "test",
    level: "TRACE",
    destination: { write: (line: string) => void logs.push(JSON.parse(line)) },
  });
  const client = createEmbeddingsClient({ baseUrl: server.url, model: "m", readKey: async () => sceneKey, clock });
  const counted: string[] = [];
  const gauges = { embedded: 0, missing: 0, isFailing: false };
  const search = new EmbeddedSearch({
    index: new SearchIndex(),
    client,
    model: "m",
    metrics: {
      countEmbeddingsRequest: (purpose, outcome) => void counted.push(`${purpose} ${outcome}`),
      setEmbeddings: (state) => void Object.assign(gauges, state),
    },
    ...{ log, clock, limits, random: () => 0 },
  });
  onTestFinished(async () => {
    await search.close();
    await server.close();
  });
  return {
    ...{ server, search, clock, logs, counted, gauges },
    put: (name, tools) => search.put({ name }, tools),
    async fill() {
      await expect
        .poll(async () => {
          await clock.advance(50);
          const { embedded, tools } = search.observeEmbeddings();
          return embedded === tools;
        })
        .toBe(true);
      // Until the index has them.
      await expect.poll(async () => (await search.search("anything at all", { limit: 1 })).degraded).toBe(false);
    },
    async ask(query) {
      const { matches, degraded } = await search.search(query, { limit: 3 });
      return { found: matches[0]?.tool, degraded };
    },
  };
}

// Keeps the search index at what is known of tools: a segment for each server and agent, built one after another off the event loop, again
// only where its tools are others. A server whose list changes all the time is indexed now and then, and holds up no other.
import type { SearchableServer, SearchableTool } from "../../lib/search/searchable.ts";
import type { SearchIndex } from "../../lib/search/search-index.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { KnownTools, Source } from "./known-tools.ts";
import { createSettled } from "./settled.ts";

export interface IndexFeedParts {
  known: Pick<KnownTools, "names" | "get" | "onChange">;
  index: Pick<SearchIndex, "put" | "remove" | "size">;
  /** Hears how many tools can be found. */
  onIndexed: (count: number) => void;
  log: Logger;
  clock: Clock;
}

export interface IndexFeed {
  /** Resolves when everything that is known by now has been indexed. */
  settled(): Promise<void>;
  close(): void;
}

const settleMs = 100;
const everyMs = 1_000;
/** A segment that takes long to build is built seldom: at most this share of the time goes into it. */
const maxShare = 0.1;
const maxParameters = 64;

interface Indexed {
  readonly tools: readonly ToolDescription[];
  readonly description: string | undefined;
}

export function feedIndex({ known, index, onIndexed, log, clock }: IndexFeedParts): IndexFeed {
  const indexed = new Map<string, Indexed>();
  const waiting = new Set<string>();
  let isClosed = false;
  let running: Promise<void> | undefined;

  const take = async (name: string): Promise<void> => {
    const source = known.get(name);
    if (source === undefined) {
      if (indexed.delete(name)) index.remove(name);
      return;
    }
    const { tools } = source;
    if (tools.length === 0 && !indexed.has(name)) return;
    const description = describe(source);
    const before = indexed.get(name);
    if (before?.tools === tools && before.description === description) return;
    indexed.set(name, { tools, description });
    const startedAt = clock.now();
    const server: SearchableServer = { name, ...defined({ description }) };
    await index.put(server, tools.map(renderSearchable));
    const durationMs = clock.now() - startedAt;
    settled.hold(name, Math.max(everyMs, durationMs / maxShare));
    log.debug({ server: name, count: tools.length, durationMs: Math.round(durationMs) }, "tools indexed");
  };
  const work = async () => {
    for (const name of waiting) {
      if (isClosed) return;
      waiting.delete(name);
      try {
        await take(name);
        onIndexed(index.size);
      } catch (error) {
        indexed.delete(name);
        log.error({ server: name, err: error }, "tools cannot be indexed");
      }
    }
  };
  const look = (name: string) => {
    waiting.add(name);
    running ??= work().finally(() => (running = undefined));
  };
  const settled = createSettled({ clock, settleMs, look });
  for (const name of known.names()) look(name);
  const stop = known.onChange((name) => settled.note(name));
  return {
    settled: async () => await running,
    close() {
      isClosed = true;
      stop();
      settled.close();
    },
  };
}

/** What a server is found by beside its tools. */
function describe({ description, tags }: Source): string | undefined {
  const text = [description ?? "", ...tags].filter((each) => each !== "").join(" ");
  return text === "" ? undefined : text;
}

function renderSearchable({ name, title, description, inputSchema }: ToolDescription): SearchableTool {
  const properties = isJsonObject(inputSchema.properties) ? inputSchema.properties : {};
  const parameters = Object.entries(properties)
    .slice(0, maxParameters)
    .map(([parameter, schema]) => {
      const about = isJsonObject(schema) ? schema["description"] : undefined;
      return { name: parameter, ...(typeof about === "string" && { description: about }) };
    });
  const text = [title, description].filter((each) => each !== undefined).join(": ");
  return { name, ...(text !== "" && { description: text }), parameters };
}

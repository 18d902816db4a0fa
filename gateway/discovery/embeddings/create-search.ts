// How tools are searched, as the instance's spec says: by words and the table of meanings that the gateway brings, by words alone, or
// with an outside endpoint.
import type { GatewayConfig } from "../../../crds/gateway-config.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { Logger } from "../../../lib/process/log.ts";
import { SearchIndex } from "../../../lib/search/search-index.ts";
import type { WordTable } from "../../../lib/search/searchable.ts";
import { createEmbeddingsClient } from "./client.ts";
import { EmbeddedSearch, plainSearch, type EmbeddedSearchParts, type ToolSearch } from "./embedded-index.ts";
import { readKeyFile } from "./key-file.ts";

export interface ToolSearchParts {
  embeddings: GatewayConfig["embeddings"];
  /** The table that the gateway brings; absent: words alone. */
  words?: WordTable | undefined;
  /** Of the endpoint's key. */
  secretsDir: string;
  metrics: EmbeddedSearchParts["metrics"];
  log: Logger;
  clock: Clock;
}

/** Knows no tool yet, and asks nothing before it does. */
export function createToolSearch({ embeddings, words, secretsDir, ...parts }: ToolSearchParts): ToolSearch {
  if (embeddings?.kind === "none") return plainSearch(new SearchIndex(), "none");
  const index = new SearchIndex(defined({ words }));
  if (embeddings === undefined) return plainSearch(index, "static");
  const { baseUrl, model, apiKey } = embeddings;
  const readKey = async () => apiKey && (await readKeyFile(secretsDir, apiKey));
  const client = createEmbeddingsClient({ baseUrl, model, readKey, clock: parts.clock });
  return new EmbeddedSearch({ ...parts, index, client, model });
}

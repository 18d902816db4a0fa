// Catalogues of tools in files: a line is a tool, with its server and an id by which queries name it.
import * as z from "zod";
import { readWordTable } from "../../lib/search/find-word-table.ts";
import { SearchIndex } from "../../lib/search/search-index.ts";
import type { SearchableServer, SearchableTool } from "../../lib/search/searchable.ts";
import { readJsonLines } from "./read-json-lines.ts";

const text = z.string();
const toolSchema = z.object({
  id: text.min(1),
  server: text,
  name: text,
  description: text.default(""),
  params: z.array(z.object({ name: text, description: text.default("") })).default([]),
  category: text.optional(),
  server_description: text.optional(),
});

export interface FoundTool {
  /** Of all tools of that server and name. */
  readonly ids: readonly string[];
  readonly description: string;
}

export interface ToolCatalogue {
  readonly index: SearchIndex;
  readonly size: number;
  /** What a match stands for. */
  find(server: string, tool: string): FoundTool | undefined;
  has(id: string): boolean;
}

interface Server {
  readonly server: SearchableServer;
  readonly tools: SearchableTool[];
}

/** Server and tool as one key; neither has a line feed that would matter to a test of equality. */
function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/**
 * The tools of all files as one catalogue; what two files say of a server of the same name is one server's. By words and
 * by the meaning of the built-in word table.
 * @throws UsageError naming the file and line
 */
export async function readToolCatalogue(paths: readonly string[]): Promise<ToolCatalogue> {
  const servers = new Map<string, Server>();
  const found = new Map<string, { ids: string[]; description: string }>();
  const ids = new Set<string>();
  for (const path of paths) {
    for (const line of await readJsonLines(path, toolSchema)) {
      const { id, server, name, description, params, category, server_description: about } = line;
      let known = servers.get(server);
      if (known === undefined) {
        known = { server: { name: server, ...(about === undefined ? {} : { description: about }) }, tools: [] };
        servers.set(server, known);
      }
      known.tools.push({ name, description, parameters: params, ...(category === undefined ? {} : { category }) });
      const key = keyOf(server, name);
      const same = found.get(key);
      if (same === undefined) found.set(key, { ids: [id], description });
      else same.ids.push(id);
      ids.add(id);
    }
  }
  const index = new SearchIndex({ words: await readWordTable() });
  await Promise.all(Array.from(servers.values(), ({ server, tools }) => index.put(server, tools)));
  return {
    index,
    size: index.size,
    find: (server, tool) => found.get(keyOf(server, tool)),
    has: (id) => ids.has(id),
  };
}

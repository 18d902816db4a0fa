// What speaks for the first match of each judged query, among the tools of its own data set and among those of all, as they
// are and with the right tools taken away.
import { buildSegment } from "../build.ts";
import { Catalogue } from "../catalogue.ts";
import type { Evidence } from "../confidence.ts";
import { readQuery } from "../query.ts";
import { rank } from "../rank.ts";
import type { SearchableTool, WordTable } from "../searchable.ts";
import type { JudgedQuery, JudgedTool } from "./judged-data.ts";

export interface Trial {
  readonly set: string;
  readonly among: "own" | "all";
  /** Whether the right tools were there. */
  readonly answerable: boolean;
  readonly isRight: boolean;
  readonly evidence: Evidence;
}

const semanticWeight = 0.3;

interface Searched {
  readonly catalogue: Catalogue;
  /** Server, then tool: the ids of what has these names. */
  readonly ids: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

function buildCatalogue(tools: readonly JudgedTool[], words: WordTable): Searched {
  const catalogue = new Catalogue(words.width);
  const ids = new Map<string, Map<string, string[]>>();
  for (const [name, some] of Map.groupBy(tools, ({ server }) => server)) {
    const about = some[0]?.server_description;
    const server = { name, ...(about === undefined ? {} : { description: about }) };
    const context = { words, isCancelled: () => false };
    const steps = buildSegment(catalogue, { server, tools: some.map(toSearchable), vectors: undefined }, context);
    while (steps.next().done !== true);
    const named = Map.groupBy(some, (tool) => tool.name);
    ids.set(name, new Map([...named].map(([tool, same]) => [tool, same.map(({ id }) => id)])));
  }
  return { catalogue, ids };
}

function toSearchable({ name, description, category, params }: JudgedTool): SearchableTool {
  return { name, description, parameters: params, ...(category === undefined ? {} : { category }) };
}

/** Two trials, or none where nothing is found; `byMeaning` says whether the search has vectors. */
function tryQuery(searched: Searched, { query, right, set }: JudgedQuery, words: WordTable | undefined) {
  const { catalogue, ids } = searched;
  const read = readQuery(query);
  const vector = words?.embed(read.words);
  const isRight = (server: string, tool: string): boolean =>
    ids
      .get(server)
      ?.get(tool)
      ?.some((id) => right.has(id)) === true;
  const meaning =
    vector === undefined || catalogue.meanings === undefined
      ? undefined
      : { query: vector, vectors: catalogue.meanings };
  return [true, false].flatMap((answerable) => {
    const accept = answerable ? undefined : (server: string, tool: string) => !isRight(server, tool);
    const [first] = rank(catalogue, { terms: read.terms, meaning, semanticWeight, limit: 1, accept });
    if (first === undefined) return [];
    return [{ set, answerable, isRight: isRight(first.server, first.tool), evidence: first.evidence }];
  });
}

/** @param options.words the table that tools are embedded with; queries too, if `options.byMeaning`. */
export function findEvidence(
  catalogues: readonly (readonly JudgedTool[])[],
  queries: readonly JudgedQuery[],
  options: { readonly words: WordTable; readonly byMeaning: boolean },
): Trial[] {
  const words = options.byMeaning ? options.words : undefined;
  const all = buildCatalogue(catalogues.flat(), options.words);
  const trials: Trial[] = [];
  for (const some of Map.groupBy(queries, ({ set }) => set).values()) {
    const own = catalogues.find((tools) => tools.some(({ id }) => some[0]?.right.has(id) === true)) ?? [];
    const catalogue = buildCatalogue(own, options.words);
    for (const query of some) {
      trials.push(...tryQuery(catalogue, query, words).map((trial) => ({ ...trial, among: "own" as const })));
      trials.push(...tryQuery(all, query, words).map((trial) => ({ ...trial, among: "all" as const })));
    }
  }
  return trials;
}

// `pallas search eval`: every query of some files over the tools of some files, and how often the search was right.
import * as z from "zod";
import type { SearchIndex } from "../../lib/search/search-index.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { UsageError } from "../manifests/find-files.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { measure, places, type Answer, type JudgedQuery, type Measures } from "./measure.ts";
import { readJsonLines } from "./read-json-lines.ts";
import { renderTable } from "../render-table.ts";
import { readToolCatalogue, type ToolCatalogue } from "./tool-files.ts";

/** Searches before time is measured, so that what is measured is a process that has been running for a while. */
const warmUps = 50;

const querySchema = z.object({
  set: z.string().min(1),
  query: z.string(),
  gold: z.array(z.array(z.string()).min(1)).min(1),
});

export interface EvaluateOptions {
  readonly tools: readonly string[];
  readonly queries: readonly string[];
  /** One JSON object in place of the table. */
  readonly json: boolean;
}

function answer({ index, find }: ToolCatalogue, query: string, clock: Clock): Answer {
  const begin = clock.now();
  const { matches, confidence } = index.search(query, { limit: places });
  const ms = clock.now() - begin;
  return {
    matches: matches.map(({ server, tool }) => find(server, tool)?.ids ?? []),
    isHigh: confidence === "high",
    ms,
  };
}

function warmUp(index: SearchIndex, queries: readonly JudgedQuery[]): void {
  for (const { query } of queries.slice(0, warmUps)) index.search(query, { limit: places });
}

/** The measures of each set of queries, in the order in which sets first occur. */
export function evaluate(
  catalogue: ToolCatalogue,
  queries: readonly JudgedQuery[],
  clock: Clock = systemClock,
): Map<string, Measures> {
  warmUp(catalogue.index, queries);
  const sets = Map.groupBy(queries, ({ set }) => set);
  const measures = new Map<string, Measures>();
  for (const [set, some] of sets) {
    measures.set(set, measure(some.map((query) => ({ query, answer: answer(catalogue, query.query, clock) }))));
  }
  return measures;
}

/** @throws UsageError when a file cannot be read or is not as expected, naming file and line */
export async function readQueries(paths: readonly string[]): Promise<JudgedQuery[]> {
  const queries: JudgedQuery[] = [];
  for (const path of paths) for (const query of await readJsonLines(path, querySchema)) queries.push(query);
  if (queries.length === 0) throw new UsageError(`${paths.join(", ")}: expected a query, found none`);
  return queries;
}

const percent = (share: number | null): string => (share === null ? "–" : (share * 100).toFixed(1));

/**
 * Prints how good the search is on each set of queries.
 * @returns the exit code, 0
 * @throws UsageError when a file cannot be read or is not as expected
 */
export async function evaluateSearch({ tools, queries, json }: EvaluateOptions, terminal: Terminal): Promise<0> {
  const asked = await readQueries(queries);
  const catalogue = await readToolCatalogue(tools);
  const lost = asked.filter(({ gold }) => !gold.flat().some((id) => catalogue.has(id))).length;
  if (lost > 0) {
    terminal.complain(`${lost} of ${asked.length} queries have no right tool among these; they count as missed`);
  }
  const measures = evaluate(catalogue, asked);
  if (json) {
    terminal.printStyled(jsonLine(Object.fromEntries(measures)));
    return 0;
  }
  const rows = Array.from(measures, ([set, found]) => [
    set,
    String(found.n),
    percent(found.hit1),
    percent(found.recall5),
    percent(found.ndcg10),
    percent(found.highShare),
    percent(found.highPrecision),
    found.p95Ms.toFixed(2),
  ]);
  const heads = ["set", "queries", "hit@1 %", "recall@5 %", "nDCG@10 %", "high %", "of which right %", "p95 ms"];
  for (const line of renderTable([heads, ...rows])) terminal.print(line);
  terminal.print(`${catalogue.size} tools`);
  return 0;
}

// How each agent is in one word, which of them the table shows, and in which order: by words, by state, by model, by a column. Pure.
import type { ShownAgent } from "../../data/agents.ts";

export type AgentState = "ready" | "degraded" | "error" | "starting" | "off";

/** What is not ready cannot work, unless it is on its way and says nothing worse. */
export function stateOf({
  ready,
  health,
  replicas,
  starting,
}: Pick<ShownAgent, "ready" | "health" | "replicas" | "starting">): AgentState {
  if (replicas === 0) return "off";
  if (!ready) return starting && health !== "error" ? "starting" : "error";
  return health === "degraded" || health === "error" ? health : "ready";
}

export const agentFacets = ["all", "ready", "degraded", "error", "waits", "starting", "off"] as const;
export type AgentFacet = (typeof agentFacets)[number];
export const readFacet = (text: string | undefined): AgentFacet => agentFacets.find((each) => each === text) ?? "all";

/** By names ascending unless the person asked otherwise; `-` descending. Never by state: rows would jump. */
const agentSorts = ["name", "-name", "model", "-model", "last", "-last", "calls", "-calls"] as const;
export type AgentSort = (typeof agentSorts)[number];
export type SortColumn = "name" | "model" | "last" | "calls";
export const readSort = (text: string | undefined): AgentSort => agentSorts.find((each) => each === text) ?? "name";

/** Pressing a column's head: up first for words, down first for numbers and times, then the other way. */
export function nextSort(current: AgentSort, column: SortColumn): AgentSort {
  if (column === "name" || column === "model") return current === column ? `-${column}` : column;
  return current === `-${column}` ? column : `-${column}`;
}

export const isInFacet = (agent: ShownAgent, facet: AgentFacet): boolean =>
  facet === "all" || (facet === "waits" ? agent.waiting > 0 : stateOf(agent) === facet);

/** All words of the query, each somewhere in what the agent is called, is for, or runs on. */
function hasWords(agent: ShownAgent, words: readonly string[]): boolean {
  const { id, title, description, model, reason } = agent;
  const text = [id, title, description, model, reason].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

export interface AgentFilter {
  query: string;
  facet: AgentFacet;
  /** Empty: any. */
  model: string;
  sort: AgentSort;
  /** Calls of 24 hours by agent. */
  calls?: ReadonlyMap<string, number> | undefined;
}

/** `found`: those of the query and the model, in whatever state, which the facets count. */
export function listAgents(agents: readonly ShownAgent[], { query, facet, model, sort, calls }: AgentFilter) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents.filter((each) => (model === "" || each.model === model) && hasWords(each, words));
  const rows = found.filter((each) => isInFacet(each, facet)).toSorted(comparing(sort, calls));
  return { rows, found };
}

const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: ShownAgent, b: ShownAgent): number => collator.compare(a.id, b.id);

function comparing(sort: AgentSort, calls: ReadonlyMap<string, number> = new Map()) {
  const sign = sort.startsWith("-") ? -1 : 1;
  const column = sort.replace("-", "");
  if (column === "name") return (a: ShownAgent, b: ShownAgent) => sign * byName(a, b);
  if (column === "model") {
    return (a: ShownAgent, b: ShownAgent) => sign * collator.compare(a.model, b.model) || byName(a, b);
  }
  const valueOf = ({ id, last_call_at: last = "" }: ShownAgent) =>
    column === "calls" ? (calls.get(id) ?? 0) : Date.parse(last);
  return (a: ShownAgent, b: ShownAgent) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    // What was never called stands last, either way.
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || byName(a, b);
    return sign * (x - y) || byName(a, b);
  };
}

/** The models that agents run on, by name. */
export const modelsOf = (agents: readonly ShownAgent[]): string[] =>
  [...new Set(agents.flatMap(({ model }) => (model === "" ? [] : [model])))].toSorted(collator.compare);

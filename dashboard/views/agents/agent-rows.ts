// Which agents the table shows, in which order, and in which state each is: by words, by a facet, by a model. Pure.
import type { ShownAgent } from "../../data/agents.ts";
import type { MarkState } from "../../parts/mark.tsx";

export const agentFacets = ["all", "ready", "degraded", "error", "starting", "off"] as const;
export type AgentFacet = (typeof agentFacets)[number];
export const readFacet = (text: string | undefined): AgentFacet => agentFacets.find((each) => each === text) ?? "all";

export const agentSorts = ["name", "-name", "model", "-model", "last", "-last"] as const;
export type AgentSort = (typeof agentSorts)[number];
export const readSort = (text: string | undefined): AgentSort => agentSorts.find((each) => each === text) ?? "name";

/** Pressing a column's head: names up first, what was called last down first, then the other way. */
export function nextSort(current: AgentSort, column: "name" | "model" | "last"): AgentSort {
  if (column === "last") return current === "-last" ? "last" : "-last";
  return current === column ? `-${column}` : column;
}

/** Health says more than readiness where both are known: what serves calls badly is not just ready. */
export function stateOf({ replicas, ready, health }: Pick<ShownAgent, "replicas" | "ready" | "health">): MarkState {
  if (replicas === 0) return "off";
  if (health === "error") return "error";
  if (!ready) return "starting";
  return health === "degraded" ? "degraded" : "ready";
}

/** The worst first: what cannot work, then what works badly. */
export function findWorst(agents: readonly ShownAgent[]): ShownAgent | undefined {
  return agents.find((agent) => stateOf(agent) === "error") ?? agents.find((agent) => stateOf(agent) === "degraded");
}

const hasWords = ({ id, title, description, model }: ShownAgent, words: readonly string[]): boolean => {
  const text = [id, title, description, model].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
};

export interface AgentFilter {
  query: string;
  facet: AgentFacet;
  sort: AgentSort;
}

/** `found`: those of the query, in whatever facet, which the facets count. */
export function listAgents(agents: readonly ShownAgent[], { query, facet, sort }: AgentFilter) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents.filter((agent) => hasWords(agent, words));
  const rows = found.filter((agent) => facet === "all" || stateOf(agent) === facet).toSorted(comparing(sort));
  return { rows, found };
}

function comparing(sort: AgentSort): (a: ShownAgent, b: ShownAgent) => number {
  const sign = sort.startsWith("-") ? -1 : 1;
  const textOf = ({ id, model, last_call_at }: ShownAgent): string => {
    if (sort.endsWith("model")) return model;
    return sort.endsWith("last") ? (last_call_at ?? "") : id;
  };
  return (a, b) => {
    const [x, y] = [textOf(a), textOf(b)];
    if (x !== y) return sign * (x < y ? -1 : 1);
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  };
}

/** A facet stands while it has agents, or is pressed; those that most lists have none of do not stand with a zero. */
export const isShownFacet = (facet: AgentFacet, count: number, pressed: AgentFacet): boolean =>
  facet === "all" || facet === "ready" || count > 0 || facet === pressed;

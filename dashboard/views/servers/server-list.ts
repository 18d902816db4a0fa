// Which servers the table shows, and in which order: by words, by a facet, by a column. Pure.
import type { ShownServer } from "../../data/servers.ts";

export const serverFacets = ["all", "ready", "degraded", "error", "starting", "off", "changed", "unused"] as const;
type ServerFacet = (typeof serverFacets)[number];
export const readFacet = (text: string | undefined): ServerFacet => serverFacets.find((each) => each === text) ?? "all";

/** By names ascending unless the person asked otherwise; `-` descending. */
const serverSorts = ["name", "-name", "tools", "-tools", "median", "-median"] as const;
export type ServerSort = (typeof serverSorts)[number];
export const readSort = (text: string | undefined): ServerSort => serverSorts.find((each) => each === text) ?? "name";

/** Pressing a column's head: up first for names, down first for numbers, then the other way. */
export function nextSort(current: ServerSort, column: "name" | "tools" | "median"): ServerSort {
  if (column === "name") return current === "name" ? "-name" : "name";
  return current === `-${column}` ? column : `-${column}`;
}

/** No agent that the person sees names it, and nobody called it for a day. */
const isUnused = ({ used_by, calls_24h }: ShownServer): boolean => used_by.length === 0 && calls_24h === 0;

export function isInFacet(server: ShownServer, facet: ServerFacet): boolean {
  if (facet === "all") return true;
  if (facet === "changed") return server.changed_count > 0;
  if (facet === "unused") return isUnused(server);
  return server.state === facet;
}

/** All words of the query, each somewhere in what the server is called, is for, or offers. */
function hasWords(server: ShownServer, words: readonly string[], tools: readonly string[]): boolean {
  const { name, title, description, tags, kind, package: published } = server;
  const text = [name, title, description, kind, published, ...tags, ...tools].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

interface ServerFilter {
  query: string;
  facet: ServerFacet;
  sort: ServerSort;
  /** Names of tools by server, as far as they are known. */
  toolsOf?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** `found`: those of the query, in whatever facet, which the facets count. */
export function listServers(servers: readonly ShownServer[], { query, facet, sort, toolsOf }: ServerFilter) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = servers.filter((each) => hasWords(each, words, toolsOf?.get(each.name) ?? []));
  const rows = found.filter((each) => isInFacet(each, facet)).toSorted(comparing(sort));
  return { rows, found };
}

function comparing(sort: ServerSort) {
  const byName = (a: ShownServer, b: ShownServer) => a.name.localeCompare(b.name, "en");
  const sign = sort.startsWith("-") ? -1 : 1;
  if (sort.endsWith("name")) return (a: ShownServer, b: ShownServer) => sign * byName(a, b);
  const valueOf = (server: ShownServer) => (sort.endsWith("tools") ? server.tool_count : server.median_ms);
  return (a: ShownServer, b: ShownServer) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    // What is not known stands last, either way.
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byName(a, b);
    return sign * (x - y) || byName(a, b);
  };
}

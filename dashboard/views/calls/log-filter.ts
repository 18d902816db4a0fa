// Which calls of the log are shown: by words in tool and server, by server, by caller, by what came of them. Pure.
import type { LogEntry } from "../../data/calls.ts";

export const outcomes = ["all", "ok", "failed"] as const;
export type Outcome = (typeof outcomes)[number];
const readOutcome = (text: string | undefined): Outcome => outcomes.find((each) => each === text) ?? "all";

export interface LogFilter {
  /** Words of a tool or of its server; a link of a tool is `server/tool`. */
  readonly tool: string;
  readonly server: string;
  readonly caller: string;
  /** An agent by name, which calls by the account of that name. */
  readonly agent: string;
  readonly outcome: Outcome;
}

export function readLogFilter(query: ReadonlyMap<string, string>): LogFilter {
  const read = (key: string): string => query.get(key) ?? "";
  return {
    tool: read("tool"),
    server: read("server"),
    caller: read("caller"),
    agent: read("agent"),
    outcome: readOutcome(query.get("outcome")),
  };
}

export const isFiltered = ({ tool, server, caller, agent, outcome }: LogFilter): boolean =>
  [tool, server, caller, agent].some((text) => text !== "") || outcome !== "all";

export const hasOutcome = ({ success }: Pick<LogEntry, "success">, outcome: Outcome): boolean =>
  outcome === "all" || success === (outcome === "ok");

/** An agent's account, or its name as policies have it, as a part of who called. */
const isAgent = (caller: string, agent: string): boolean => caller.split(/[\s:]/).includes(agent);

/** `found`: those of all filters but the outcome, which the outcomes count. */
export function filterLog(entries: readonly LogEntry[], filter: LogFilter) {
  const words = filter.tool.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(
    ({ server, tool, caller }) =>
      words.every((word) => `${server}/${tool}`.toLowerCase().includes(word)) &&
      (filter.server === "" || server === filter.server) &&
      (filter.caller === "" || caller === filter.caller) &&
      (filter.agent === "" || isAgent(caller, filter.agent)),
  );
  return { found, rows: found.filter((entry) => hasOutcome(entry, filter.outcome)) };
}

/** What there is to choose from, in order, with what is chosen now even where no call has it. */
export function choicesOf(entries: readonly LogEntry[], key: "server" | "caller", chosen: string): string[] {
  const found = new Set(entries.map((entry) => entry[key]).filter((text) => text !== ""));
  if (chosen !== "") found.add(chosen);
  return [...found].toSorted((a, b) => a.localeCompare(b, "en"));
}

// Tools of servers that only agents reach, as agents report them, server by server. Of two agents that report a tool of one name the first
// says what it is; each that has it can be asked. Pure.
import type { ToolDescription } from "../../lib/mcp/connect.ts";

/** Tools of servers that only agents reach, as they say themselves. */
export interface AgentTools {
  list(): readonly ReportedTools[];
  onChange(listener: () => void): () => void;
}

export interface ReportedTools {
  readonly agent: string;
  readonly server: string;
  readonly serverDescription?: string;
  /** The same object for as long as they are the same. */
  readonly tools: readonly ToolDescription[];
}

export interface Reported {
  readonly description: string | undefined;
  readonly tools: readonly ToolDescription[];
  readonly agentsWith: ReadonlyMap<string, readonly string[]>;
  /** What it was made of. */
  readonly from: readonly ReportedTools[];
}

/** By server; what is as it was before stays the same object. */
export function groupReports(
  all: readonly ReportedTools[],
  before: ReadonlyMap<string, Reported>,
): ReadonlyMap<string, Reported> {
  const byServer = Map.groupBy(all, ({ server }) => server);
  return new Map([...byServer].map(([server, from]) => [server, mergeReports(from, before.get(server))]));
}

function mergeReports(from: readonly ReportedTools[], before: Reported | undefined): Reported {
  const isSame =
    before?.from.length === from.length &&
    from.every(({ tools, agent }, at) => {
      const old = before.from[at];
      return old?.agent === agent && old.tools === tools;
    });
  if (isSame && before !== undefined) return before;
  const tools = new Map<string, ToolDescription>();
  const agentsWith = new Map<string, string[]>();
  for (const { agent, tools: own } of from) {
    for (const tool of own) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
      agentsWith.set(tool.name, [...(agentsWith.get(tool.name) ?? []), agent]);
    }
  }
  const described = from.find(({ serverDescription }) => serverDescription !== undefined);
  return { description: described?.serverDescription, tools: [...tools.values()], agentsWith, from };
}

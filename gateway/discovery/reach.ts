// What one caller finds of the tools that are known: those that it may call, and of those that only agents reach the ones for which it may ask
// one of these agents. Everything that discovery answers goes through here.
import type { Identity } from "../../lib/auth/roles.ts";
import type { KnownTool, KnownTools, Source } from "./known-tools.ts";
import { agentTool, type MayCall, type MayCallTool } from "./may-call.ts";
import { readToolName, type ToolRef } from "./tool-name.ts";

export interface Reach {
  /** For one question: it holds for as long as nothing changes. */
  of(identity: Identity): ReachOfCaller;
}

export interface ReachOfCaller {
  /** Whether it finds a tool of that name. */
  readonly accept: MayCallTool;
  /** Undefined where there is no such tool, and where it is not for this caller: nobody can tell the two apart. */
  find(tool: ToolRef): KnownTool | undefined;
  /** By a name as callers write it: `mcp__{server}__{tool}`, or without `mcp__`. */
  read(name: string): KnownTool | undefined;
  /** Of the agents that have a tool, those that the caller may ask. */
  agentsToAsk(known: KnownTool): readonly string[];
}

export interface ReachParts {
  known: Pick<KnownTools, "get" | "find">;
  mayCall: MayCall;
}

export const createReach = ({ known, mayCall }: ReachParts): Reach => ({
  of(identity) {
    const may = mayCall.of(identity);
    const askable = (source: Source, tool: string) =>
      source.agentsWith(tool).filter((agent) => mayCall(identity, agent, agentTool));
    let last: Source | undefined;
    const accept: MayCallTool = (server, tool) => {
      if (!may(server, tool)) return false;
      if (last?.name !== server) last = known.get(server);
      if (last === undefined) return false;
      return last.kind !== "reported" || askable(last, tool).length > 0;
    };
    const find = ({ server, tool }: ToolRef) => (accept(server, tool) ? known.find(server, tool) : undefined);
    return {
      accept,
      find,
      read(name) {
        for (const ref of readToolName(name)) {
          const found = find(ref);
          if (found !== undefined) return found;
        }
        return undefined;
      },
      agentsToAsk: ({ source, tool }) => askable(source, tool.name),
    };
  },
});

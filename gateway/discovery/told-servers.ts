// Which servers the gateway is told of by agents, since only these hold the secrets for them, and by which of them: one for each set of
// rules that agents have on a server's tools is enough, and one without rules is enough for all. Pure.
import type { PallasAgent } from "../../crds/agent.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import { needsSecrets } from "../../plan/server-address.ts";
import type { KnownServer } from "../state/servers.ts";

/** What an agent may use of a server. */
export interface ToolRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The agents that use a server by the same rules. */
export interface Tellers {
  /** Of server and rules. */
  readonly key: string;
  readonly server: string;
  readonly rules: ToolRules;
  /** Names, in alphabetical order. */
  readonly agents: readonly string[];
}

/** Of servers that are listed to callers' tokens nobody tells: what is listed may be a caller's own. */
const isToldByAgents = ({ inline }: KnownServer): boolean =>
  inline !== undefined && needsSecrets(inline) && inline.forwardInboundAuth !== true;

export const hasNoRules = ({ allow, deny }: ToolRules): boolean => allow.length === 0 && deny.length === 0;

/** As agents judge it themselves. */
export const passesRules = (tool: string, { allow, deny }: ToolRules): boolean =>
  (allow.length === 0 || allow.some((pattern) => matchesToolPattern(tool, pattern))) &&
  !deny.some((pattern) => matchesToolPattern(tool, pattern));

/** In the order of servers; of one server those without rules come first. */
export function collectTellers(servers: readonly KnownServer[], agents: readonly PallasAgent[]): Tellers[] {
  return servers.filter(isToldByAgents).flatMap(({ name: server }) => {
    const byRules = new Map<string, { rules: ToolRules; agents: string[] }>();
    for (const { metadata, spec } of agents) {
      const used = spec.servers?.find(({ name }) => name === server);
      if (used === undefined) continue;
      const rules = { allow: used.tools?.allow ?? [], deny: used.tools?.deny ?? [] };
      const key = JSON.stringify([server, rules.allow, rules.deny]);
      const group = byRules.get(key) ?? { rules, agents: [] };
      byRules.set(key, group);
      group.agents.push(metadata.name);
    }
    const tellers = [...byRules].map(([key, group]) => ({ key, server, ...group, agents: group.agents.toSorted() }));
    return tellers.toSorted((a, b) => Number(hasNoRules(b.rules)) - Number(hasNoRules(a.rules)));
  });
}

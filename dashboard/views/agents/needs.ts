// What needs a person, at most three things: calls that wait for them, the worst agent, and the worst of the tool servers. Pure; nothing
// where nothing does.
import type { ShownAgent } from "../../data/agents.ts";
import type { ShownApproval } from "../../data/approvals.ts";
import type { ShownServer } from "../../data/servers.ts";
import { stateOf } from "./agent-rows.ts";

export type Need =
  | {
      readonly kind: "calls";
      readonly count: number;
      /** Where there is one alone. */
      readonly only: string | undefined;
      readonly oldestAt: string | undefined;
      readonly expiresAt: string;
    }
  | { readonly kind: "agent"; readonly agent: ShownAgent; readonly state: "error" | "degraded"; readonly more: number }
  | { readonly kind: "changed"; readonly server: ShownServer; readonly more: number }
  | { readonly kind: "server"; readonly server: ShownServer; readonly more: number };

interface Seen {
  approvals: readonly ShownApproval[];
  agents: readonly ShownAgent[];
  servers: readonly ShownServer[];
}

/** In this order always. */
export const findNeeds = ({ approvals, agents, servers }: Seen): Need[] =>
  [needOfCalls(approvals), needOfAgents(agents), needOfServers(servers)].flatMap((need) => need ?? []);

function needOfCalls(approvals: readonly ShownApproval[]): Need | undefined {
  const mine = approvals.filter(({ may_decide }) => may_decide);
  const [first] = mine.toSorted((a, b) => Date.parse(a.expires_at) - Date.parse(b.expires_at));
  if (first === undefined) return undefined;
  const [oldestAt] = mine.flatMap(({ created_at: at }) => at ?? []).toSorted((a, b) => Date.parse(a) - Date.parse(b));
  const only = mine.length === 1 ? first.call_id : undefined;
  return { kind: "calls", count: mine.length, only, oldestAt, expiresAt: first.expires_at };
}

function needOfAgents(agents: readonly ShownAgent[]): Need | undefined {
  for (const state of ["error", "degraded"] as const) {
    const found = agents.filter((each) => stateOf(each) === state).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [agent] = found;
    if (agent !== undefined) return { kind: "agent", agent, state, more: found.length - 1 };
  }
  return undefined;
}

/** Changed definitions before what cannot work: agents say of that themselves. */
function needOfServers(servers: readonly ShownServer[]): Need | undefined {
  const sorted = servers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const changed = sorted.filter(({ changed_count: count }) => count > 0);
  if (changed[0] !== undefined) return { kind: "changed", server: changed[0], more: changed.length - 1 };
  const failing = sorted.filter(({ state }) => state === "error");
  return failing[0] && { kind: "server", server: failing[0], more: failing.length - 1 };
}

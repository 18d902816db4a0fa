// `resource://agents/list`: the agents that the caller sees, as an array: what each is, and what it does now as far as that is known.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { CallTrend } from "../../servers/call-trend.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent } from "../access.ts";
import type { RunCounts } from "../agents/run-counts.ts";
import type { ApprovalViews } from "../approvals/views.ts";
import { renderAgentRecord } from "./agent-record.ts";
import type { ResourceFamily } from "./family.ts";
import { followChanges } from "./follow-changes.ts";

export interface AgentListParts {
  state: Pick<GatewayState, "listAgents" | "getInstance">;
  views: Pick<ApprovalViews, "countForDecision">;
  runs: Pick<RunCounts, "get" | "follow">;
  trend: Pick<CallTrend, "lastCallAt" | "onCount">;
  clock: Clock;
}

/** Calls come all the time, and the list may be long. */
const callsSettleMs = 5_000;

export function renderAgentList({ state, views, runs, trend }: AgentListParts, identity: Identity) {
  const waiting = views.countForDecision(identity);
  const instance = state.getInstance();
  return state
    .listAgents()
    .filter(({ metadata }) => seesAgent(identity, metadata.name))
    .map((agent) => {
      const { name } = agent.metadata;
      const known = defined({ runs: runs.get(name), last_call_at: trend.lastCallAt(name) });
      return { ...renderAgentRecord(agent, instance), waiting: waiting.get(name) ?? 0, ...known };
    });
}

export const createAgentList = (parts: AgentListParts): ResourceFamily => ({
  uri: "resource://agents/list",
  name: "Agents",
  description: "All agents of the instance, with what each does now.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  read: async (_key, identity) => renderAgentList(parts, identity),
  changedKeys: () => [""],
  touchedKeys: ({ approvals }) => (approvals.length > 0 ? [""] : []),
  follow(_key, onChange) {
    const { runs, trend, clock } = parts;
    const stops = [
      runs.follow(onChange),
      followChanges({ clock, settleMs: callsSettleMs }, [(note) => trend.onCount(note)], onChange),
    ];
    return () => stops.forEach((stop) => stop());
  },
});

// Calls that somebody must approve (MGM-6): of one agent those that wait and those that are over, of all agents those that wait, and
// one of them with everything, for which there may be no room in a list. Each for people who see the agent and what it calls.
import type { GatewayState } from "../../state/state.ts";
import { isViewer } from "../access.ts";
import type { ApprovalViews } from "../approvals/views.ts";
import { createAgentFamily } from "./agent-family.ts";
import type { ResourceFamily } from "./family.ts";

const isPerson = ({ kind }: { kind: string }): boolean => kind === "person";

export function createApprovalResources(state: GatewayState, views: ApprovalViews): ResourceFamily[] {
  return [
    createAgentFamily(state, {
      path: "approvals/pending",
      name: "Waiting for approval",
      description: "Calls of the agent that somebody must approve, the first to expire first.",
      isFor: isPerson,
      read: async ({ metadata: { name } }, identity) => views.pending(identity, name),
      touchedAgents: (change) => views.agentsOf(change),
    }),
    createAgentFamily(state, {
      path: "approvals/history",
      name: "Decided",
      description: "Calls of the agent that were approved, denied or left until they expired, the newest first.",
      isFor: isPerson,
      read: async ({ metadata: { name } }, identity) => views.history(identity, name),
      touchedAgents: (change) => views.agentsOf(change),
    }),
    {
      uri: "resource://approvals/pending",
      name: "Waiting for approval",
      description: "Calls of all agents, and through the gateway itself, that somebody must approve.",
      listKeys: (identity) => (isPerson(identity) && isViewer(identity) ? [""] : []),
      mayRead: (_key, identity) => isPerson(identity) && isViewer(identity),
      read: async (_key, identity) => views.pending(identity),
      touchedKeys: ({ approvals }) => (approvals.length > 0 ? [""] : []),
    },
    {
      uri: "resource://approvals/{call_id}",
      name: "Approval",
      description: "One call that somebody must approve, or what was decided of it.",
      listKeys: () => [],
      mayRead: (name, identity) => views.sees(name, identity),
      read: async (name, identity) => views.one(name, identity),
      touchedKeys: ({ approvals }) => approvals,
    },
  ];
}

// Calls that somebody must approve (MGM-6): of one agent, and of all, those that wait and those that are over, and
// one of them with everything, for which there may be no room in a list. Each for people who see the agent and what it calls.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer } from "../access.ts";
import type { ApprovalViews } from "../approvals/views.ts";
import { createAgentFamily } from "./agent-family.ts";
import type { ResourceFamily, Touched } from "./family.ts";

const isPerson = ({ kind }: { kind: string }): boolean => kind === "person";

const ofAll = {
  listKeys: (identity: Identity) => (isPerson(identity) && isViewer(identity) ? [""] : []),
  mayRead: (_key: string, identity: Identity) => isPerson(identity) && isViewer(identity),
  touchedKeys: ({ approvals }: Touched) => (approvals.length > 0 ? [""] : []),
};

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
      ...ofAll,
      read: async (_key, identity) => views.pending(identity),
    },
    {
      uri: "resource://approvals/history",
      name: "Decided",
      description: "Calls of all agents, and through the gateway itself, that are decided or over, the newest first.",
      ...ofAll,
      read: async (_key, identity) => views.history(identity),
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

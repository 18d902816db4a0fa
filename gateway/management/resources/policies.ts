// Policies (MGM-5) and what people propose for them: the rules that hold for an agent, all rules as text, and each proposal with what
// it would have made of the last calls.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer } from "../access.ts";
import type { DryRuns } from "../agents/dry-runs.ts";
import { createProposalReader } from "../policies/read-proposals.ts";
import type { ProposalStore } from "../policies/store.ts";
import { policyOf, renderPolicyState, renderPolicyText, seenPolicies } from "../policies/view.ts";
import { createAgentFamily } from "./agent-family.ts";
import type { ResourceFamily } from "./family.ts";

export interface PolicyResourcesParts {
  state: GatewayState;
  proposals: ProposalStore;
  dryRuns: Pick<DryRuns, "run">;
}

const isPerson = ({ kind }: Identity): boolean => kind === "person";
const isForPeople = (identity: Identity): boolean => isPerson(identity) && isViewer(identity);

export function createPolicyResources({ state, proposals, dryRuns }: PolicyResourcesParts): ResourceFamily[] {
  const readProposals = createProposalReader({ state, proposals, dryRuns });
  const touchedAgents = ({ policies }: { policies: readonly string[] }) =>
    policies.length === 0
      ? []
      : state
          .listAgents()
          .map(({ metadata }) => metadata.name)
          .filter((agent) => policies.includes(policyOf(state, agent) ?? ""));
  const text = (uri: string): ResourceFamily => ({
    uri,
    name: "Policies",
    description: "The rules of all policies that hold, as YAML.",
    mimeType: "application/yaml",
    listKeys: (identity) => (isForPeople(identity) ? [""] : []),
    mayRead: (_key, identity) => isForPeople(identity),
    read: async (_key, identity) => renderPolicyText(identity, state),
    changedKeys: () => [""],
    touchedKeys: ({ policies }) => (policies.length > 0 ? [""] : []),
  });
  return [
    createAgentFamily(state, {
      path: "policy/state",
      name: "Policy",
      description:
        "The policy that the agent's calls are judged by: the rules that hold, and what is wrong with newer ones.",
      isFor: isPerson,
      read: async ({ metadata: { name } }) => renderPolicyState(state, name, (policy) => proposals.list(policy).length),
      touchedAgents,
    }),
    createAgentFamily(state, {
      path: "policy/proposals",
      name: "Proposed rules",
      description: "What is proposed for the agent's policy, with what it would have made of the last calls.",
      isFor: isPerson,
      read: async ({ metadata: { name } }, identity) => {
        const policy = state.getPolicy(policyOf(state, name) ?? "");
        return policy === undefined ? [] : await readProposals([policy], identity);
      },
      touchedAgents,
    }),
    {
      uri: "resource://approval-policy/proposals",
      name: "Proposed rules",
      description: "What is proposed for all policies.",
      listKeys: (identity) => (isForPeople(identity) ? [""] : []),
      mayRead: (_key, identity) => isForPeople(identity),
      read: async (_key, identity) => await readProposals(seenPolicies(identity, state), identity),
      touchedKeys: ({ policies }) => (policies.length > 0 ? [""] : []),
    },
    text("resource://approval-policy/policy"),
    text("resource://approval-policy/policy.py"),
  ];
}

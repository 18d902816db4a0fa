// Policies (MGM-5) and what people propose for them: the rules that hold for an agent, all rules as text, and each proposal with what
// it would have made of the last calls.
import type { PallasPolicy, PolicyProposal } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent } from "../access.ts";
import type { DryRuns } from "../agents/dry-runs.ts";
import { seesArguments } from "../approvals/view.ts";
import type { ProposalStore } from "../policies/store.ts";
import {
  isGateways,
  policyOf,
  renderDryRun,
  renderPolicyState,
  renderPolicyText,
  renderProposal,
  seenPolicies,
  usersOf,
} from "../policies/view.ts";
import { createAgentFamily } from "./agent-family.ts";
import type { ResourceFamily } from "./family.ts";

export interface PolicyResourcesParts {
  state: GatewayState;
  proposals: ProposalStore;
  dryRuns: Pick<DryRuns, "run">;
}

/** Proposals of one list that are tried on the last calls, the newest; of a policy there are no more. */
export const maxDryRuns = 16;

const isPerson = ({ kind }: Identity): boolean => kind === "person";
const isForPeople = (identity: Identity): boolean => isPerson(identity) && isViewer(identity);

export function createPolicyResources({ state, proposals, dryRuns }: PolicyResourcesParts): ResourceFamily[] {
  const readProposals = async (policies: readonly PallasPolicy[], identity: Identity) => {
    const all = policies
      .flatMap((policy) => proposals.list(policy.metadata.name).map((proposal) => ({ policy, proposal })))
      .toSorted((a, b) => (a.proposal.at > b.proposal.at ? -1 : 1));
    return await Promise.all(
      all.map(async ({ policy, proposal }, at) => ({
        ...renderProposal(policy, proposal),
        ...(at < maxDryRuns && seesArguments(identity) && { dry_run: await tryOut(policy, proposal, identity) }),
      })),
    );
  };
  const tryOut = async (policy: PallasPolicy, proposal: PolicyProposal, identity: Identity) => {
    const { name } = policy.metadata;
    const agents = usersOf(state, name).filter((agent) => seesAgent(identity, agent));
    const rules = { rules: proposal.rules, ...defined({ default: proposal.default }) };
    const answer = await dryRuns.run(proposal.id, rules, { agents, ownCalls: isGateways(state, name) });
    return renderDryRun(answer, identity, state);
  };
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

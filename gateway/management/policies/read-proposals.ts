// Proposals as somebody reads them: those of some policies, the newest first, and for approvers what each would have made of the
// last calls that they may see.
import type { PallasPolicy, PolicyProposal } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { seesAgent } from "../access.ts";
import type { DryRuns } from "../agents/dry-runs.ts";
import { seesArguments } from "../approvals/view.ts";
import type { ProposalStore } from "./store.ts";
import { isGateways, renderDryRun, renderProposal, usersOf } from "./view.ts";

export interface ProposalReaderParts {
  state: GatewayState;
  proposals: Pick<ProposalStore, "list">;
  dryRuns: Pick<DryRuns, "run">;
}

/** Proposals of one list that are tried on the last calls, the newest; of a policy there are no more. */
const maxDryRuns = 16;

export function createProposalReader({ state, proposals, dryRuns }: ProposalReaderParts) {
  const tryOut = async (policy: PallasPolicy, proposal: PolicyProposal, identity: Identity) => {
    const { name } = policy.metadata;
    const agents = usersOf(state, name).filter((agent) => seesAgent(identity, agent));
    const rules = { rules: proposal.rules, ...defined({ default: proposal.default }) };
    const answer = await dryRuns.run(proposal.id, rules, { agents, ownCalls: isGateways(state, name) });
    return renderDryRun(answer, identity, state);
  };
  return async (policies: readonly PallasPolicy[], identity: Identity) => {
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
}

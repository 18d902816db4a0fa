// The proposal, and the policy, that a tool's caller names. What is not there reads like what the caller may not see.
import type { PallasPolicy, PolicyProposal } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { ToolRefused } from "../tools/tool.ts";
import type { ProposalStore } from "./store.ts";
import { seenPolicies } from "./view.ts";

/** Throws a ToolRefused. */
export function findPolicy(state: GatewayState, identity: Identity, name: string): PallasPolicy {
  const seen = seenPolicies(identity, state);
  const found = seen.find(({ metadata }) => metadata.name === name);
  if (found !== undefined) return found;
  const names = seen.map(({ metadata }) => `"${metadata.name}"`).join(", ");
  const message = `policy "${name}" is not there, or not for you; there is ${names === "" ? "none" : names}`;
  throw new ToolRefused("not_found", message);
}

export interface Proposed {
  readonly policy: PallasPolicy;
  readonly proposal: PolicyProposal;
}

/** Throws a ToolRefused. */
export function findProposal(
  { state, proposals }: { state: GatewayState; proposals: ProposalStore },
  identity: Identity,
  id: string,
): Proposed {
  for (const policy of seenPolicies(identity, state)) {
    const proposal = proposals.list(policy.metadata.name).find((each) => each.id === id);
    if (proposal !== undefined) return { policy, proposal };
  }
  throw new ToolRefused("not_found", notThere(id));
}

export const notThere = (id: string): string =>
  `proposal "${id}" is not there, or not for you: it may have been withdrawn, rejected or approved; resource://approval-policy/proposals has those that are`;

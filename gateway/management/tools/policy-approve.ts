// `policy_approve_proposal`: proposed rules put in place of a policy's. Two people see them: nobody approves their own, not even an
// admin, who can change the PallasPolicy itself where that is what is wanted. They are approved for the policy as it was when they were
// proposed: were it another by now, nobody would have seen what the two make together.
import * as z from "zod";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { seesAgent, seesAll } from "../access.ts";
import { judgeChange } from "../judge-change.ts";
import { findProposal } from "../policies/find-proposal.ts";
import { generationOf, isGateways, usersOf } from "../policies/view.ts";
import { proposalId, removeProposal, type ProposalParts } from "./policy-propose.ts";
import { defineTool, renderAnswer, ToolRefused, type ManagementTool } from "./tool.ts";
import type { WriteParts } from "./write-agent.ts";

export const createPolicyApprove = (parts: ProposalParts & WriteParts): ManagementTool =>
  defineTool({
    name: "policy_approve_proposal",
    title: "Approve a proposal",
    description:
      "Puts the rules that somebody else proposed in place of a policy's, for calls that are made from now on.",
    role: "admin",
    writes: true,
    annotations: { destructiveHint: true, idempotentHint: false },
    args: z.strictObject({ proposal_id: proposalId }),
    async call({ proposal_id: id }, identity) {
      const { state, rules: limits, writesFor, log } = parts;
      const { policy, proposal } = findProposal(parts, identity, id);
      const { name } = policy.metadata;
      if (proposal.by === identity.name) {
        const message = `proposal "${id}" is your own: another admin approves it, so that two people have seen it, or change PallasPolicy "${name}" itself`;
        throw new ToolRefused("forbidden", message);
      }
      requireWhole(state, identity, name);
      if (proposal.generation !== generationOf(policy)) {
        const message = `policy "${name}" has changed since proposal "${id}" was made, from generation ${proposal.generation} to ${generationOf(policy)}: propose anew what is still wanted`;
        throw new ToolRefused("conflict", message);
      }
      const { rules, default: fallback } = proposal;
      const { default: _before, ...rest } = policy.spec;
      const spec = { ...rest, rules, ...(fallback === undefined ? {} : { default: fallback }) };
      const problems = judgeChange(state, limits, { kind: "PallasPolicy", name, spec });
      if (problems.length > 0) throw new ToolRefused("invalid", problems.join("\n"));
      const changes = { rules, default: fallback ?? null };
      const { metadata } = await writesFor(identity).policies.patch(name, { spec: changes });
      log.info({ policy: name, proposal: id, by: proposal.by, subject: identity.subject }, "proposed rules approved");
      // What is left of it is stale, and nobody can approve it again.
      const left = await removeProposal(parts, identity, id).then(() => undefined, messageOf);
      return renderAnswer({
        ...{ approved: id, policy: name, generation: metadata.generation ?? 0 },
        ...defined({ message: left && `the rules hold, but the proposal is still listed: ${left}` }),
      });
    },
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "it could not be removed");

/** Who is narrowed to some agents or servers changes no rules for others. Throws a ToolRefused. */
function requireWhole(state: GatewayState, identity: Identity, policy: string): void {
  const others = usersOf(state, policy).filter((agent) => !seesAgent(identity, agent));
  const isForAll = isGateways(state, policy) && !seesAll(identity, "agents");
  if (seesAll(identity, "servers") && others.length === 0 && !isForAll) return;
  const message = `policy "${policy}" judges calls of agents or servers that your role is narrowed away from: an admin who sees all of them approves it`;
  throw new ToolRefused("forbidden", message);
}

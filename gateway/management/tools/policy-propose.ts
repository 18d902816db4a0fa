// `policy_propose`, `policy_withdraw` and `policy_reject_proposal`: rules that somebody would have in place of a policy's, until
// somebody else decides of them. None of these changes what holds.
import { randomInt } from "node:crypto";
import * as z from "zod";
import { policyActions, policyMaxima, type PolicyProposal } from "../../../crds/policy.ts";
import { requireRole } from "../../../lib/auth/roles.ts";
import { renderTime, type Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { Logger } from "../../../lib/process/log.ts";
import { rulesProblems } from "../../../plan/policy-in-force.ts";
import type { GatewayState } from "../../state/state.ts";
import { findPolicy, findProposal, notThere } from "../policies/find-proposal.ts";
import type { ProposalStore } from "../policies/store.ts";
import { generationOf, renderProposal } from "../policies/view.ts";
import { defineTool, renderAnswer, ToolRefused, type ManagementTool } from "./tool.ts";

export interface ProposalParts {
  state: GatewayState;
  proposals: ProposalStore;
  log: Logger;
  clock: Clock;
}

const idChars = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Longer than anybody could guess; nobody needs to. */
const idLength = 12;
const newId = () => Array.from({ length: idLength }, () => idChars.charAt(randomInt(idChars.length))).join("");

export const proposalId = z
  .string()
  .min(1)
  .max(32)
  .meta({ description: "As resource://approval-policy/proposals has it." });
const reason = (description: string) => z.string().min(1).max(policyMaxima.reasonChars).meta({ description });

export const createPolicyPropose = (parts: ProposalParts): ManagementTool[] => [
  createPropose(parts),
  createWithdraw(parts),
  createReject(parts),
];

const createPropose = ({ state, proposals, log, clock }: ProposalParts): ManagementTool =>
  defineTool({
    name: "policy_propose",
    title: "Propose rules",
    description:
      "Proposes other rules for a policy, all of them. They hold once an admin approves them; resource://approval-policy/proposals shows what they would have made of the last calls.",
    role: "approver",
    annotations: { destructiveHint: false, idempotentHint: false },
    args: z.strictObject({
      policy: z.string().min(1).max(63).meta({ description: "Name of a PallasPolicy." }),
      rules: z.array(z.record(z.string(), z.json())).max(policyMaxima.rules).meta({
        description: "All rules that are to hold, as in the spec of a PallasPolicy; the first that matches decides.",
      }),
      default: z
        .enum(policyActions)
        .exactOptional()
        .meta({ description: "What becomes of calls that no rule matches. Default ask." }),
      reason: reason("Why, for who approves it."),
    }),
    async call({ policy: name, rules, default: fallback, reason: why }, identity) {
      const policy = findPolicy(state, identity, name);
      const written = { rules, ...defined({ default: fallback }) };
      const problems = rulesProblems(written);
      if (problems.length > 0) throw new ToolRefused("invalid", problems.map(({ message }) => message).join("\n"));
      const proposal: PolicyProposal = {
        id: newId(),
        ...written,
        reason: why,
        by: identity.name,
        at: renderTime(clock),
        generation: generationOf(policy),
      };
      await proposals.edit(name, (known) => [...known, proposal], identity);
      log.info({ policy: name, proposal: proposal.id, subject: identity.subject }, "rules proposed");
      return renderAnswer({ proposal: renderProposal(policy, proposal) });
    },
  });

const createWithdraw = (parts: ProposalParts): ManagementTool =>
  defineTool({
    name: "policy_withdraw",
    title: "Withdraw a proposal",
    description: "Takes back rules that you proposed; an admin may take back anybody's.",
    role: "approver",
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({ proposal_id: proposalId }),
    async call({ proposal_id: id }, identity) {
      const { proposal } = findProposal(parts, identity, id);
      if (proposal.by !== identity.name && requireRole(identity, "admin") !== undefined) {
        const message = `proposal "${id}" was made by ${proposal.by}: only they and admins withdraw it`;
        throw new ToolRefused("forbidden", message);
      }
      const name = await removeProposal(parts, identity, id);
      parts.log.info({ policy: name, proposal: id, subject: identity.subject }, "proposed rules withdrawn");
      return renderAnswer({ withdrawn: id, policy: name });
    },
  });

const createReject = (parts: ProposalParts): ManagementTool =>
  defineTool({
    name: "policy_reject_proposal",
    title: "Reject a proposal",
    description: "Ends a proposal of rules; those that hold stay.",
    role: "admin",
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({ proposal_id: proposalId, reason: reason("Why; for the log.").exactOptional() }),
    async call({ proposal_id: id, reason: why }, identity) {
      const { by } = findProposal(parts, identity, id).proposal;
      const name = await removeProposal(parts, identity, id);
      parts.log.info(
        { policy: name, proposal: id, by, reason: why, subject: identity.subject },
        "proposed rules rejected",
      );
      return renderAnswer({ rejected: id, policy: name });
    },
  });

/** Takes it away, whoever else is at it: only one of two gets an answer. Throws a ToolRefused, or WriteRefused. */
export async function removeProposal(
  parts: Pick<ProposalParts, "state" | "proposals">,
  identity: Parameters<ProposalStore["edit"]>[2],
  id: string,
): Promise<string> {
  const { name } = findProposal(parts, identity, id).policy.metadata;
  const remove = (known: readonly PolicyProposal[]) => {
    const left = known.filter((each) => each.id !== id);
    if (left.length === known.length) throw new ToolRefused("not_found", notThere(id));
    return left;
  };
  await parts.proposals.edit(name, remove, identity);
  return name;
}

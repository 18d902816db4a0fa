// What a decision counts for, as it stands in an approval: it may have been written past this gateway, by kubectl, and then nobody
// has judged it yet. One that does not count denies the call, and says why. Pure.
import type { ApprovalDecision, ApprovalSpec, PallasApproval } from "../../crds/approval.ts";
import { findChangeProblem } from "./changed-call.ts";

/** Undefined while there is none. */
export function readDecision(approval: PallasApproval): ApprovalDecision | undefined {
  const { decision } = approval.spec;
  if (decision === undefined) return undefined;
  const fault = findFault(approval, decision);
  if (fault === undefined) return decision;
  const { argumentsHash, by, at } = decision;
  return { verdict: "denyContinue", argumentsHash, by, at, reason: `the decision does not count: ${fault}` };
}

function findFault({ spec, metadata }: PallasApproval, decision: ApprovalDecision): string | undefined {
  if (decision.argumentsHash !== spec.argumentsHash) return "it is of other arguments";
  return findApproverFault(spec, decision, metadata.namespace) ?? findChangeProblem(spec, decision);
}

/** A gateway writes as which of the approvers it let somebody decide; others are known by their account's name alone. */
function findApproverFault(spec: ApprovalSpec, decision: ApprovalDecision, namespace: string): string | undefined {
  const { approvers, askCaller = false } = spec.policy;
  if (approvers === undefined || (askCaller && decision.by === spec.caller)) return undefined;
  if (isInvolved(spec, decision.by)) return `${decision.by} is who the call is made for, and may not decide of it`;
  const prefix = `system:serviceaccount:${namespace}:`;
  const names = [
    decision.approver,
    decision.by,
    decision.by.startsWith(prefix) ? decision.by.slice(prefix.length) : undefined,
  ];
  if (names.some((name) => name !== undefined && approvers.includes(name))) return undefined;
  return `${decision.by} is none of its approvers, who are ${listApprovers(approvers)}`;
}

/** Whether somebody is the caller, or stands in the chain by which the call came. */
export const isInvolved = ({ caller, chain }: Pick<ApprovalSpec, "caller" | "chain">, name: string): boolean =>
  caller === name || chain.some((link) => link.caller === name);

const maxShown = 5;
export function listApprovers(approvers: readonly string[]): string {
  const shown = approvers.slice(0, maxShown).join(", ");
  return approvers.length > maxShown ? `${shown} and ${approvers.length - maxShown} more` : shown || "nobody";
}

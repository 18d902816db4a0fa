// Whether somebody may decide of an approval, and whether what they decide can be. Pure, from who they are and what is asked.
import type { ApprovalDecision, ApprovalSpec, PallasApproval } from "../../crds/approval.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import { isVisible, requireRole, type Identity } from "../../lib/auth/roles.ts";
import { defined } from "../../lib/process/defined.ts";
import type { GatewayState } from "../state/state.ts";
import { ApprovalRefused, type Verdict } from "./approvals.ts";
import { findChangeProblem } from "./changed-call.ts";
import { isInvolved, listApprovers } from "./recorded.ts";

const maxReasonChars = 1_024;

type Known = Pick<GatewayState, "getServer" | "getAgent">;
type Right = { readonly approver?: string } | { readonly refusal: "not_found" | "forbidden"; readonly why: string };

/** As which of the rule's approvers an identity may decide, or why it may not. */
export function judgeRight({ metadata, spec }: PallasApproval, identity: Identity, known: Known): Right {
  const missing = requireRole(identity, "approver");
  if (missing !== undefined) return { refusal: "forbidden", why: missing.message };
  if (identity.kind === "agent" || !seesCall(spec, identity, known)) {
    return { refusal: "not_found", why: `there is no approval "${metadata.name}", or it is not for you to see` };
  }
  const { approvers, askCaller = false } = spec.policy;
  if (approvers === undefined || (askCaller && identity.name === spec.caller)) return {};
  if (isInvolved(spec, identity.name)) {
    return {
      refusal: "forbidden",
      why: "the call is made for you, and its rule names who approves it: somebody else must",
    };
  }
  const approver = [identity.name, ...identity.groups].find((name) => approvers.includes(name));
  if (approver !== undefined) return { approver };
  return {
    refusal: "forbidden",
    why: `its rule names who approves it: ${listApprovers(approvers)}; you are ${identity.name}`,
  };
}

type Person = Extract<Identity, { kind: "person" }>;

function seesCall({ agentRef, server }: ApprovalSpec, { agents, servers }: Person, known: Known): boolean {
  if (agentRef !== undefined && !isVisible(agents, agentRef.name, matchesToolPattern)) return false;
  // A server of the same name wins over the agent.
  const isAgent = known.getServer(server) === undefined && known.getAgent(server) !== undefined;
  return isVisible(isAgent ? agents : servers, server, matchesToolPattern);
}

/**
 * What is written of it.
 * @throws ApprovalRefused hash, invalid, too-large
 */
export function acceptVerdict(
  { spec }: PallasApproval,
  verdict: Verdict,
  who: { by: string; approver?: string | undefined; at: string },
): ApprovalDecision {
  const { argumentsHash, reason, scope, arguments: edited, answer } = verdict;
  if (argumentsHash !== spec.argumentsHash) {
    const message = `arguments_hash is ${argumentsHash.slice(0, 80)}, and the call's is ${spec.argumentsHash}: look at the call again`;
    throw new ApprovalRefused("hash", message);
  }
  const shape = findShapeProblem(verdict);
  if (shape !== undefined) throw new ApprovalRefused("invalid", shape);
  if (reason !== undefined && reason.length > maxReasonChars) {
    throw new ApprovalRefused("too-large", `the reason is longer than ${maxReasonChars} characters`);
  }
  const problem = findChangeProblem(spec, verdict);
  if (problem !== undefined) throw new ApprovalRefused("invalid", problem);
  const { by, approver, at } = who;
  return {
    verdict: verdict.verdict,
    argumentsHash,
    by,
    at,
    ...defined({ approver, reason, scope, arguments: edited, answer }),
  };
}

function findShapeProblem({ verdict, scope, arguments: edited, answer }: Verdict): string | undefined {
  if ((edited !== undefined) !== (verdict === "approveEdited")) {
    return "arguments are needed with the verdict approveEdited, and are for it only";
  }
  if ((answer !== undefined) !== (verdict === "answer")) {
    return "an answer is needed with the verdict answer, and is for it only";
  }
  return scope === "session" && verdict !== "approve" ? "scope session is for the verdict approve only" : undefined;
}

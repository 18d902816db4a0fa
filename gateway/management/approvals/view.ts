// What is shown of an approval (MGM-6): all that somebody needs to decide of the call without looking elsewhere. Arguments, and
// what was answered in place of a call, are for those who may decide; everybody else gets the hash. Pure.
import type { PallasApproval, Verdict } from "../../../crds/approval.ts";
import { requireRole, type Identity } from "../../../lib/auth/roles.ts";
import { redact } from "../../../lib/policy/redact.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { ApprovalState } from "../../approvals/approvals.ts";

export interface ViewParts {
  /** As it stands now. */
  state: ApprovalState;
  /** Why the identity may not decide of it; undefined: they may. */
  objection: string | undefined;
  /** The last approved call of the same agent and tool; undefined where none is kept. */
  last: PallasApproval | undefined;
  /** Without texts that may be long: there is no room for them. */
  isBrief?: boolean;
}

/** As tools and resources spell them. */
const shownVerdicts = {
  approve: "approve",
  approveEdited: "approve_edited",
  answer: "answer",
  denyContinue: "deny_continue",
  denyAbort: "deny_abort",
} as const satisfies Record<Verdict, string>;

export const seesArguments = (identity: Identity): boolean => requireRole(identity, "approver") === undefined;

export type ShownApproval = ReturnType<typeof renderApproval>;

/**
 * `decision.ignored`: somebody wrote it past the gateway who may not decide, and it does not count.
 * Texts of JSON stay texts: `arguments` and `input_schema` are as the PallasApproval has them, character for character.
 */
export function renderApproval(approval: PallasApproval, identity: Identity, parts: ViewParts) {
  const { state, objection, last, isBrief = false } = parts;
  const { metadata, spec } = approval;
  const isShown = seesArguments(identity) && !isBrief;
  const { policy, hints, decision } = spec;
  const mayDecide = state === "pending" && objection === undefined;
  return {
    call_id: metadata.name,
    agent_id: spec.agentRef?.name ?? null,
    state,
    server: spec.server,
    tool: spec.tool,
    tool_hash: spec.toolHash,
    ...defined({
      hints: hints && defined({ read_only: hints.readOnly, destructive: hints.destructive }),
      description: isBrief ? undefined : spec.description,
      input_schema: isBrief ? undefined : spec.inputSchema,
    }),
    caller: spec.caller,
    ...defined({ role: spec.role }),
    chain: spec.chain,
    ...defined({ steps: isBrief ? undefined : spec.steps }),
    policy: { name: policy.name, generation: policy.generation, ...defined({ rule: policy.rule }) },
    ...defined({ reason: policy.reason, approvers: policy.approvers, ask_caller: policy.askCaller }),
    ...defined({ created_at: metadata.creationTimestamp ?? undefined }),
    expires_at: spec.expiresAt,
    arguments_hash: spec.argumentsHash,
    ...(isShown && { arguments: spec.arguments }),
    redacted: spec.redacted,
    may_decide: mayDecide,
    ...defined({ may_not_because: state === "pending" ? objection : undefined }),
    ...(decision && {
      decision: { ...renderDecision(approval, isShown), ...(state === "pending" && { ignored: true }) },
    }),
    last_approved: last === undefined ? null : renderLast(last, spec, isShown),
    ...(last && { definition_changed: last.spec.toolHash !== spec.toolHash }),
    ...(isBrief && { left_out: true }),
  };
}

function renderDecision({ spec: { decision, redacted } }: PallasApproval, isShown: boolean) {
  if (decision === undefined) return undefined;
  const { verdict, by, at, reason, scope, answer, arguments: edited } = decision;
  return {
    verdict: shownVerdicts[verdict],
    by,
    at,
    ...defined({ reason, scope }),
    ...(isShown && defined({ answer, arguments: edited && redactText(edited, redacted) })),
  };
}

function renderLast({ metadata, spec }: PallasApproval, current: PallasApproval["spec"], isShown: boolean) {
  const { decision } = spec;
  const sent = decision?.arguments === undefined ? spec.arguments : redactText(decision.arguments, spec.redacted);
  const isSame = decision?.verdict === "approve" && spec.argumentsHash === current.argumentsHash;
  return {
    call_id: metadata.name,
    ...defined({ at: decision?.at, by: decision?.by }),
    arguments_hash: spec.argumentsHash,
    ...(isShown && { arguments: sent }),
    same_arguments: isSame,
  };
}

/** What somebody edited may hold again what the rule keeps to itself. */
function redactText(text: string, pointers: readonly string[]): string {
  if (pointers.length === 0) return text;
  try {
    return JSON.stringify(redact(JSON.parse(text), pointers));
  } catch {
    return '"[redacted]"';
  }
}

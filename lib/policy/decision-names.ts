// What metrics call the decisions of a policy. Pure.
import type { Decision } from "./policy.ts";
import type { Action } from "./rules.ts";

/** limited: a rate limit was reached. fault: there is no policy to go by. */
export const policyDecisions = ["allow", "ask", "deny_continue", "deny_abort", "limited", "fault"] as const;
export type PolicyDecision = (typeof policyDecisions)[number];

const names: Readonly<Record<Action, PolicyDecision>> = {
  allow: "allow",
  ask: "ask",
  denyContinue: "deny_continue",
  denyAbort: "deny_abort",
};

export function nameDecision({ action, fault, limited }: Decision): PolicyDecision {
  if (fault !== undefined) return "fault";
  return limited === undefined ? names[action] : "limited";
}

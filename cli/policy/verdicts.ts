// What a policy says of calls, each with whether that was expected, and how it is shown.
import { decide, deniesAll } from "../../lib/policy/decide.ts";
import type { Decision, Policy } from "../../lib/policy/policy.ts";
import { plainLine } from "../plain-text.ts";
import { renderTable } from "../render-table.ts";
import type { TriedCall } from "./read-calls.ts";

export interface Verdict {
  /** From 1, in the order of the file. */
  readonly number: number;
  readonly tried: TriedCall;
  readonly decision: Decision;
  /** Not even listed for this caller. */
  readonly isHidden: boolean;
  /** Whether it is as expected, or nothing is. */
  readonly holds: boolean;
}

export function tryCalls(policy: Policy, calls: readonly TriedCall[]): Verdict[] {
  return calls.map((tried, at) => {
    const decision = decide(policy, tried.call);
    const holds = tried.expected === undefined || tried.expected === decision.action;
    return { number: at + 1, tried, decision, isHidden: deniesAll(policy, tried.call), holds };
  });
}

/** A line for each, heads first. */
export function renderVerdicts(verdicts: readonly Verdict[]): string[] {
  const heads = ["call", "action", "by", "expected", "tool", "caller"];
  const rows = verdicts.map(({ number, tried: { call, expected }, decision, isHidden, holds }) => [
    String(number),
    decision.action,
    decision.rule ?? (decision.fault === undefined ? "(default)" : "(fault)"),
    expected === undefined ? "" : holds ? "yes" : `no: ${expected}`,
    plainLine(`${call.server}/${call.tool}${isHidden ? " (not listed)" : ""}`),
    plainLine(`${call.caller} (${call.role})`),
  ]);
  return renderTable([heads, ...rows], "start");
}

/** The same for scripts. */
export function verdictToJson({ number, tried: { call, expected }, decision, isHidden, holds }: Verdict) {
  const { server, tool, caller, role, agent } = call;
  return { call: number, server, tool, caller, role, agent, ...decision, hidden: isHidden, expected, holds };
}

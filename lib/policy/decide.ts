// What a policy says of a call: the first rule that matches decides, and where none does the default. Rules that match by
// hints, which servers write of themselves, come on top of that: the decision without them may become stricter, never laxer.
import { holdsOf } from "./argument-test.ts";
import { matchesGlob, type Glob } from "./glob.ts";
import { createDecision, type Call, type CompiledRule, type Decision, type Policy } from "./policy.ts";
import { actions, maxima, type Hints } from "./rules.ts";

const tooLong = `expected server, tool, caller, role and agent of at most ${maxima.callNameChars} characters, found a longer one`;
const denialOfTooLong = createDecision({ action: "denyContinue", reason: tooLong, fault: tooLong });

/** Never throws. Takes time in proportion to the policy's size times the call's at worst. */
export function decide(policy: Policy, call: Call): Decision {
  if (isTooLong(call) || call.agent.length > maxima.callNameChars) return denialOfTooLong;
  let hinted: Decision | undefined;
  for (const rule of policy.rules) {
    if (rule.hints !== undefined && hinted !== undefined) continue;
    if (!matches(rule, call)) continue;
    if (rule.hints === undefined) return tighten(rule.decision, hinted);
    hinted = rule.decision;
  }
  return tighten(policy.otherwise, hinted);
}

/**
 * Without `hints` it is unknown what will be said of the tool, and rules that match by them count for nothing; without `caller` or
 * `role` it is anybody's call.
 */
export type Subject = Pick<Call, "server" | "tool" | "hints"> & Partial<Pick<Call, "caller" | "role">>;

/**
 * Whether every call of this tool by this caller, or by anybody, is denied, whatever its arguments. True is certain; false where a rule with
 * `args` that would not deny comes first, even if no arguments could pass all of its tests.
 */
export function deniesAll(policy: Policy, subject: Subject): boolean {
  if (isTooLong(subject)) return true;
  let isHinted = false;
  for (const rule of policy.rules) {
    if (!matchesSubject(rule, subject)) continue;
    const holdsForAll = rule.args.length === 0 && namesAll(rule, subject);
    if (rule.hints !== undefined) {
      if (isHinted || subject.hints === undefined || !matchesHints(rule.hints, subject.hints)) continue;
      if (!denies(rule.decision)) isHinted = true;
      else if (holdsForAll) return true;
    } else if (!denies(rule.decision)) {
      return false;
    } else if (holdsForAll) {
      return true;
    }
  }
  return denies(policy.otherwise);
}

export function denies({ action }: Pick<Decision, "action">): boolean {
  return action === "denyContinue" || action === "denyAbort";
}

/** Whether a rule is about all whom the subject may be. */
const namesAll = ({ callers, roles }: CompiledRule, { caller, role }: Subject): boolean =>
  (callers === undefined || caller !== undefined) && (roles === undefined || role !== undefined);

function isTooLong({ server, tool, caller = "", role = "" }: Subject): boolean {
  return [server, tool, caller, role].some(({ length }) => length > maxima.callNameChars);
}

function matches(rule: CompiledRule, call: Call): boolean {
  if (!matchesSubject(rule, call)) return false;
  if (rule.hints !== undefined && !matchesHints(rule.hints, call.hints ?? {})) return false;
  return rule.args.every((test) => holdsOf(test, call.arguments));
}

function matchesSubject(rule: CompiledRule, { server, tool, caller, role }: Subject): boolean {
  return (
    matchesAny(server, rule.servers) &&
    matchesAny(tool, rule.tools) &&
    matchesAny(caller, rule.callers) &&
    matchesAny(role, rule.roles)
  );
}

/** Without a text: whether one could. */
function matchesAny(text: string | undefined, globs: readonly Glob[] | undefined): boolean {
  return globs === undefined || text === undefined || globs.some((glob) => matchesGlob(text, glob));
}

/** What a server says may be anything: what is neither true nor false is not said. */
function matchesHints(wanted: Hints, said: Hints): boolean {
  const readOnly = said.readOnly === true;
  const destructive = said.destructive === true || (said.destructive !== false && !readOnly);
  return (wanted.readOnly ?? readOnly) === readOnly && (wanted.destructive ?? destructive) === destructive;
}

/**
 * The decision of trusted facts with what was found by hints on top: the stricter action; of two that ask, the approvers
 * whom the trusted rule names, else those of the other, and the caller only where both ask it. Redactions and limits of both hold.
 */
function tighten(plain: Decision, hinted: Decision | undefined): Decision {
  if (hinted === undefined) return plain;
  const stricter = actions.indexOf(hinted.action) - actions.indexOf(plain.action);
  const chosen = stricter < 0 || (stricter === 0 && plain.approvers.length > 0) ? plain : hinted;
  return {
    ...chosen,
    askCaller: chosen.askCaller && (stricter !== 0 || (plain.askCaller && hinted.askCaller)),
    redact: [...new Set([...plain.redact, ...hinted.redact])],
    limits: [...plain.limits, ...hinted.limits],
  };
}

// Step 1 and 2: may the agent be meant at all, in its instance (Accepted), and does everything it names exist
// (ReferencesResolved)? All judgement is plan/'s; here it becomes conditions.
import type { PallasAgent } from "../../crds/agent.ts";
import { listNames, type ValidationError } from "../../plan/validation-error.ts";
import { judgeAgent } from "../../plan/judge.ts";
import { dependenciesOf } from "../../plan/order.ts";
import { policyProblems } from "../../plan/accept-policy.ts";
import { resolveAgent, type Neighbourhood } from "../../plan/resolve.ts";
import { findInstance, type FindingInstance } from "../find-instance.ts";
import type { AgentRun } from "./run.ts";

/** What is judged, and by what. */
type Judging = Pick<AgentRun, "live" | "neighbours" | "conditions" | "rules"> & Pick<FindingInstance, "caches">;

export interface Accepted {
  agent: PallasAgent;
  around: Neighbourhood;
}

const hasProblems = (problems: readonly ValidationError[]): problems is [ValidationError, ...ValidationError[]] =>
  problems.length > 0;

/** Undefined when the agent is not accepted; the condition then says why. */
export function accept(run: Judging): Accepted | undefined {
  const { live, neighbours, conditions, rules } = run;
  if (!live.parsed.ok) {
    conditions.problem("Accepted", live.parsed.problems);
    return undefined;
  }
  const agent = live.parsed.value;
  const instance = findInstance(run, agent);
  if (!instance) return undefined;
  const problems = judgeAgent(agent, instance, rules);
  if (hasProblems(problems)) {
    conditions.problem("Accepted", problems);
    return undefined;
  }
  conditions.set("Accepted", "True", "Accepted", `belongs to PallasInstance "${instance.metadata.name}"`);
  return { agent, around: neighbours.of(instance) };
}

/** Whether everything is there that the agent cannot go on without. */
export function resolve({ conditions }: Pick<AgentRun, "conditions">, { agent, around }: Accepted): boolean {
  const problems = resolveAgent(agent, around);
  if (hasProblems(problems)) {
    conditions.problem("ReferencesResolved", problems);
    return false;
  }
  const unreadable = dependenciesOf(agent).filter((name) => around.invalid?.has(name));
  if (unreadable.length > 0) {
    // Unknown, and nothing is rendered without what it would know of them: what runs goes on running.
    const message = `cannot be read, see their conditions Accepted: ${listNames(unreadable)}`;
    conditions.set("ReferencesResolved", "Unknown", "NotChecked", message);
    return false;
  }
  // Without its policy it goes on, with every call denied.
  const policy = policyProblems(agent, around);
  if (hasProblems(policy)) conditions.problem("ReferencesResolved", policy);
  else conditions.set("ReferencesResolved", "True", "Resolved", "all references exist");
  return true;
}

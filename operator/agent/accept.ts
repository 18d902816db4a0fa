// Step 1 and 2: may the agent be meant at all, in its instance (Accepted), and does everything it names exist
// (ReferencesResolved)? All judgement is plan/'s; here it becomes conditions.
import type { PallasAgent } from "../../crds/agent.ts";
import { objectKey } from "../../lib/kube/object.ts";
import { instanceMissing } from "../../plan/check.ts";
import { formatProblem, listNames, type ValidationError } from "../../plan/validation-error.ts";
import { judgeAgent, judgeInstance } from "../../plan/judge.ts";
import { dependenciesOf } from "../../plan/order.ts";
import type { WatchedInstance } from "../../plan/parse-watched.ts";
import { resolveAgent, type Neighbourhood } from "../../plan/resolve.ts";
import type { Rules } from "../../plan/rules.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import type { AgentRun } from "./run.ts";

/** What is judged, and by what. */
interface Judging extends Pick<AgentRun, "live" | "neighbours" | "conditions" | "rules"> {
  readonly caches: { readonly instances: { readonly store: Pick<ReadStore<WatchedInstance>, "get" | "list"> } };
}

export interface Accepted {
  agent: PallasAgent;
  around: Neighbourhood;
}

const hasProblems = (problems: readonly ValidationError[]): problems is [ValidationError, ...ValidationError[]] =>
  problems.length > 0;

/** What is wrong with the instance itself, in one sentence, or undefined. */
function instanceProblem({ parsed }: WatchedInstance, rules: Rules): string | undefined {
  const [first] = parsed.ok ? judgeInstance(parsed.value, rules) : parsed.problems;
  return first && formatProblem(first);
}

function findInstance({ live, caches, conditions, rules }: Judging, agent: PallasAgent): WatchedInstance | undefined {
  const { namespace } = live.metadata;
  const { name } = agent.spec.instanceRef;
  const instance = caches.instances.store.get(objectKey(namespace, name));
  if (!instance) {
    const known = caches.instances.store.list().filter(({ metadata }) => metadata.namespace === namespace);
    const problem = instanceMissing(
      agent,
      known.map(({ metadata }) => metadata.name),
    );
    // Unknown, not False: what runs goes on running (OPR-5).
    conditions.set("Accepted", "Unknown", problem.reason, formatProblem(problem));
    return undefined;
  }
  const problem = instanceProblem(instance, rules);
  if (problem === undefined) return instance;
  conditions.set("Accepted", "False", "InstanceNotAccepted", `PallasInstance "${name}" is not valid: ${problem}`);
  return undefined;
}

/** Undefined when the agent is not accepted; the condition then says why. */
export function accept(run: Judging): Accepted | undefined {
  const { live, neighbours, conditions, rules } = run;
  if (!live.parsed.ok) {
    conditions.problem("Accepted", live.parsed.problems);
    return undefined;
  }
  const agent = live.parsed.value;
  const instance = findInstance(run, agent);
  if (!instance?.parsed.ok) return undefined;
  const problems = judgeAgent(agent, instance.parsed.value, rules);
  if (hasProblems(problems)) {
    conditions.problem("Accepted", problems);
    return undefined;
  }
  conditions.set("Accepted", "True", "Accepted", `belongs to PallasInstance "${instance.metadata.name}"`);
  return { agent, around: neighbours.of(instance.parsed.value) };
}

/** Whether everything the agent names is there. */
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
  conditions.set("ReferencesResolved", "True", "Resolved", "all references exist");
  return true;
}

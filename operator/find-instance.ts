// The instance that an agent, tool server or policy says it belongs to: whether it is there and sound; where not, the condition
// Accepted says why.
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasPolicy } from "../crds/policy.ts";
import type { PallasServer } from "../crds/server.ts";
import { instanceMissing } from "../plan/check.ts";
import { judgeInstance } from "../plan/judge.ts";
import type { WatchedInstance } from "../plan/parse-watched.ts";
import type { Rules } from "../plan/rules.ts";
import { formatProblem } from "../plan/validation-error.ts";
import type { ConditionSet } from "./conditions.ts";

export interface FindingInstance {
  readonly caches: { readonly instances: { readonly store: Pick<ReadStore<WatchedInstance>, "get" | "list"> } };
  readonly conditions: ConditionSet<"Accepted">;
  readonly rules: Rules;
}

/** What is wrong with the instance itself, in one sentence, or undefined. */
function instanceProblem({ parsed }: WatchedInstance, rules: Rules): string | undefined {
  const [first] = parsed.ok ? judgeInstance(parsed.value, rules) : parsed.problems;
  return first && formatProblem(first);
}

/** Undefined where there is none without problems. */
export function findInstance(
  { caches, conditions, rules }: FindingInstance,
  member: PallasAgent | PallasServer | PallasPolicy,
): PallasInstance | undefined {
  const { namespace } = member.metadata;
  const { name } = member.spec.instanceRef;
  const instance = caches.instances.store.get(objectKey(namespace, name));
  if (!instance) {
    const known = caches.instances.store.list().filter(({ metadata }) => metadata.namespace === namespace);
    const problem = instanceMissing(
      member,
      known.map(({ metadata }) => metadata.name),
    );
    // Unknown, not False: what runs goes on running (OPR-5).
    conditions.set("Accepted", "Unknown", problem.reason, formatProblem(problem));
    return undefined;
  }
  const problem = instanceProblem(instance, rules);
  if (problem === undefined) return instance.parsed.ok ? instance.parsed.value : undefined;
  conditions.set("Accepted", "False", "InstanceNotAccepted", `PallasInstance "${name}" is not valid: ${problem}`);
  return undefined;
}

// The first step of an instance: may it be meant at all (Accepted)? All judgement is plan/'s; here it becomes a condition.
import type { InstanceConditionType } from "../../crds/conditions.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { judgeInstance } from "../../plan/judge.ts";
import type { WatchedInstance } from "../../plan/parse-watched.ts";
import type { Rules } from "../../plan/rules.ts";
import type { ConditionSet } from "../conditions.ts";

/** Undefined when the instance is not accepted; the condition then says why. */
export function acceptInstance(
  { parsed }: Pick<WatchedInstance, "parsed">,
  rules: Rules,
  conditions: ConditionSet<InstanceConditionType>,
): PallasInstance | undefined {
  const [first, ...others] = parsed.ok ? judgeInstance(parsed.value, rules) : parsed.problems;
  if (first) {
    conditions.problem("Accepted", [first, ...others]);
    return undefined;
  }
  conditions.set("Accepted", "True", "Accepted", "");
  return parsed.ok ? parsed.value : undefined;
}

// The one judgement of a resource: `pallas check`, local mode, the operator and the registry ask here and nowhere else,
// so that what one of them accepts, all of them do (CAT-6, CFG-5).
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { imageProblems } from "./accept-images.ts";
import { authorProblems } from "./author-limits.ts";
import type { ValidationError } from "./validation-error.ts";
import { resolveInstance } from "./resolve.ts";
import type { Rules } from "./rules.ts";

/** Every problem of an instance; with one, none of its agents is accepted. */
export const judgeInstance = (instance: PallasInstance, rules: Rules): ValidationError[] => [
  ...acceptInstance(instance, rules.mode),
  ...resolveInstance(instance),
  ...imageProblems(instance, rules),
  ...authorProblems("spec.agentDefaults", instance.spec.agentDefaults ?? {}, rules),
];

/** Every problem of an agent in an instance without problems, apart from what it refers to (`resolveAgent`). */
export const judgeAgent = (agent: PallasAgent, instance: PallasInstance, rules: Rules): ValidationError[] => [
  ...acceptAgent(agent, instance),
  ...authorProblems("spec", agent.spec, rules),
];

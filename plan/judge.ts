// The one judgement of a resource: `pallas check`, local mode, the operator and the registry ask here and nowhere else,
// so that what one of them accepts, all of them do (CAT-6, CFG-5).
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { imageFaults } from "./accept-images.ts";
import { authorFaults } from "./author-limits.ts";
import type { Fault } from "./fault.ts";
import { resolveInstance } from "./resolve.ts";
import type { Rules } from "./rules.ts";

/** Every fault of an instance; with one, none of its agents is accepted. */
export const judgeInstance = (instance: PallasInstance, rules: Rules): Fault[] => [
  ...acceptInstance(instance, rules.mode),
  ...resolveInstance(instance),
  ...imageFaults(instance, rules),
  ...authorFaults("spec.agentDefaults", instance.spec.agentDefaults ?? {}, rules),
];

/** Every fault of an agent in an instance without faults, apart from what it refers to (`resolveAgent`). */
export const judgeAgent = (agent: PallasAgent, instance: PallasInstance, rules: Rules): Fault[] => [
  ...acceptAgent(agent, instance),
  ...authorFaults("spec", agent.spec, rules),
];

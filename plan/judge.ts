// The one judgement of a resource: `pallas check`, local mode, the operator and the registry ask here and nowhere else,
// so that what one of them accepts, all of them do (CAT-6, CFG-5).
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { imageProblems, serverImageProblems } from "./accept-images.ts";
import { acceptServer, serversByName, takenNameProblems } from "./accept-server.ts";
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

/** Every problem of a tool server in an instance without problems, apart from other servers of its name (`judgeServers`). */
const judgeServer = (server: PallasServer, instance: PallasInstance, rules: Rules): ValidationError[] => [
  ...acceptServer(server, instance, rules.mode),
  ...serverImageProblems(server, rules),
  ...authorProblems("spec", server.spec, rules),
];

/**
 * Every problem of each tool server of an instance without problems, in the order they come.
 * @param agents names of the instance's agents
 */
export function judgeServers(
  instance: PallasInstance,
  servers: Iterable<PallasServer>,
  agents: { has(name: string): boolean },
  rules: Rules,
): Map<PallasServer, ValidationError[]> {
  const all = [...servers];
  const holders = serversByName(all);
  return new Map(
    all.map((server) => [
      server,
      [...judgeServer(server, instance, rules), ...takenNameProblems(server, holders, agents)],
    ]),
  );
}

/** Every problem of an agent in an instance without problems, apart from what it refers to (`resolveAgent`). */
export const judgeAgent = (agent: PallasAgent, instance: PallasInstance, rules: Rules): ValidationError[] => [
  ...acceptAgent(agent, instance),
  ...authorProblems("spec", agent.spec, rules),
];

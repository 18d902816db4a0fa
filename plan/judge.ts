// The one judgement of a resource: `pallas check`, local mode, the operator and the registry ask here and nowhere else,
// so that what one of them accepts, all of them do (CAT-6, CFG-5).
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { acceptAgent, acceptInstance } from "./accept.ts";
import { imageProblems, serverImageProblems } from "./accept-images.ts";
import { acceptServer, serversByName, takenNameProblems } from "./accept-server.ts";
import { authorProblems } from "./author-limits.ts";
import { resolveInstance, type Servers } from "./resolve.ts";
import type { Rules } from "./rules.ts";
import { serverNameOf } from "./server.ts";
import { formatProblem, type ValidationError } from "./validation-error.ts";

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

/** How agents see what `judgeServers` found. @param unreadable names of PallasServers by those that agents may use for them */
export function serversAround(
  judged: ReadonlyMap<PallasServer, readonly ValidationError[]>,
  unreadable: ReadonlyMap<string, string> = new Map(),
): Servers {
  const sound = new Map<string, PallasServer>();
  const faulty = new Map<string, string>();
  for (const [name, resource] of unreadable) {
    faulty.set(name, `PallasServer "${resource}", which cannot be read; correct that one first`);
  }
  for (const [server, [problem]] of judged) {
    const { name } = server.metadata;
    if (problem === undefined) sound.set(serverNameOf(server), server);
    else faulty.set(serverNameOf(server), `PallasServer "${name}", which is not valid: ${formatProblem(problem)}`);
  }
  return { sound, faulty };
}

/** Every problem of an agent in an instance without problems, apart from what it refers to (`resolveAgent`). */
export const judgeAgent = (agent: PallasAgent, instance: PallasInstance, rules: Rules): ValidationError[] => [
  ...acceptAgent(agent, instance),
  ...authorProblems("spec", agent.spec, rules),
];

// From names to what they stand for: model providers, downstream servers, sub-agents and dependencies of one agent,
// all inside its namespace and instance (SEC-2). Problems of references show as ReferencesResolved=False.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { mcpName } from "../crds/names.ts";
import type { LivePolicies } from "./accept-policy.ts";
import { suggestion } from "../crds/did-you-mean.ts";
import { listNames, type ValidationError } from "./validation-error.ts";
import { isBuiltIn, modelOf, splitModel } from "./models.ts";
import { isRegistryEntry } from "./registry-entry.ts";
import { callDepth, findCycle, isBehindCycle, maxCallDepth, type AgentsByName } from "./order.ts";

/** What an agent is resolved against: its instance, and all agents of that instance in its namespace. */
export interface Neighbourhood {
  instance: PallasInstance;
  agents: AgentsByName;
  /** By the name of an agent, those that call it. */
  callers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Agents that are there but faulty: naming one is no problem of who names it. */
  invalid?: ReadonlySet<string>;
  /** Absent: the instance has none but those in its own spec. */
  servers?: Servers;
  /** The PallasPolicies of the instance, and what holds of each. Absent: there are none. */
  policies?: LivePolicies;
}

/** The PallasServers of an instance, by the names that agents refer to. */
export interface Servers {
  readonly sound: ReadonlyMap<string, PallasServer>;
  /** Of those that no agent can use: which one it is, and why. */
  readonly faulty: ReadonlyMap<string, string>;
}

const missing = (what: string, name: string, known: readonly string[], where: string) =>
  `${what} "${name}" does not exist${suggestion(name, known)}; ${where} ${listNames(known)}`;

function modelProblems(agent: PallasAgent, { instance }: Neighbourhood): ValidationError[] {
  const main = modelOf(agent, instance);
  if (main === undefined) {
    const message = `names no model, and neither does defaultModel of instance "${instance.metadata.name}"; set one of them`;
    return [{ reason: "ModelMissing", path: "spec.model", message }];
  }
  const refs = [
    { path: agent.spec.model === undefined ? "spec.instanceRef" : "spec.model", ref: main },
    ...(agent.spec.fallbackModels ?? []).map((ref, position) => ({ path: `spec.fallbackModels[${position}]`, ref })),
  ];
  const known = (instance.spec.providers ?? []).map(({ name }) => name);
  return refs.flatMap(({ path, ref }): ValidationError[] => {
    const { provider } = splitModel(ref);
    if (isBuiltIn(provider) || known.includes(provider)) return [];
    const where = `instance "${instance.metadata.name}" has the providers`;
    const message = `model "${ref}": ${missing("provider", provider, known, where)}`;
    return [{ reason: "ProviderNotFound", path, message }];
  });
}

function serverProblems(agent: PallasAgent, around: Neighbourhood): ValidationError[] {
  const { instance, servers } = around;
  const inline = (instance.spec.servers ?? []).map(({ name }) => name);
  return (agent.spec.servers ?? []).flatMap(({ name }, position): ValidationError[] => {
    if (inline.includes(name) || servers?.sound.has(name) === true) return [];
    const path = `spec.servers[${position}].name`;
    if (isRegistryEntry(name, around)) {
      if (instance.spec.gateway !== undefined) return [];
      const message = `server "${name}" does not exist, and instance "${instance.metadata.name}" has no gateway, whose registry it would be; set spec.gateway of the instance, or declare a server of that name`;
      return [{ reason: "ServerNotFound", path, message }];
    }
    const why = servers?.faulty.get(name);
    if (why !== undefined) return [{ reason: "ServerNotAccepted", path, message: `server "${name}" is ${why}` }];
    const known = [...inline, ...(servers?.sound.keys() ?? []), ...(servers?.faulty.keys() ?? [])];
    const message = missing("server", name, known, `instance "${instance.metadata.name}" has the servers`);
    return [{ reason: "ServerNotFound", path, message }];
  });
}

function agentProblems(agent: PallasAgent, { instance, agents, invalid }: Neighbourhood): ValidationError[] {
  const refs = [
    ...(agent.spec.agents ?? []).map(({ name }, position) => ({ path: `spec.agents[${position}].name`, name })),
    ...(agent.spec.dependsOn ?? []).map((name, position) => ({ path: `spec.dependsOn[${position}]`, name })),
  ];
  return refs.flatMap(({ path, name }): ValidationError[] => {
    if (agents.has(name) || invalid?.has(name)) return [];
    const known = [...agents.keys()].filter((other) => other !== agent.metadata.name);
    const message = missing("agent", name, known, `instance "${instance.metadata.name}" has the other agents`);
    return [{ reason: "AgentNotFound", path, message }];
  });
}

function graphProblems(agent: PallasAgent, { agents }: Neighbourhood): ValidationError[] {
  const cycle = findCycle(agent.metadata.name, agents);
  if (cycle) {
    const message = `the agents form a dependency cycle: ${cycle.join(" → ")}; remove one of these references`;
    return [{ reason: "DependencyCycle", path: "spec", message }];
  }
  const depth = callDepth(agent.metadata.name, agents);
  if (depth <= maxCallDepth || isBehindCycle(agent.metadata.name, agents)) return [];
  const message = `calls would nest ${depth} agents deep, at most ${maxCallDepth} are allowed; make the chain of agents shorter`;
  return [{ reason: "CallDepthExceeded", path: "spec.agents", message }];
}

/** Models see `{prefix}__{tool}` for servers and `{agent}__{agent}` for agents: the first parts must differ. */
function prefixProblems(agent: PallasAgent, around: Neighbourhood): ValidationError[] {
  const { instance, servers } = around;
  const prefixes = new Map(
    (agent.spec.servers ?? []).map(({ name }) => {
      const server = instance.spec.servers?.find((candidate) => candidate.name === name);
      return [server?.prefix ?? name, name];
    }),
  );
  return (agent.spec.agents ?? []).flatMap(({ name }, position): ValidationError[] => {
    const server = prefixes.get(mcpName(name));
    if (server === undefined) return [];
    const ofResource = servers?.sound.has(server) === true;
    const ofServer = ofResource ? "set another serverName on it" : "set another prefix on the server";
    const cure = isRegistryEntry(server, around) ? "give the agent another name" : ofServer;
    const message = `agent "${name}" and server "${server}" would have the same prefix "${mcpName(name)}" to the model; ${cure}`;
    return [{ reason: "DuplicateName", path: `spec.agents[${position}].name`, message }];
  });
}

const createdBefore = (a: PallasAgent, b: PallasAgent): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  return first === second ? a.metadata.name < b.metadata.name : first < second;
};

/** Two agents cannot be published on one port of one host; the earlier one keeps it. */
function portProblems(agent: PallasAgent, { instance, agents }: Neighbourhood): ValidationError[] {
  const { port } = agent.spec;
  if (port === undefined || instance.spec.externalUrl?.host === undefined) return [];
  const holder = [...agents.values()].find(
    (other) => other.metadata.name !== agent.metadata.name && other.spec.port === port && createdBefore(other, agent),
  );
  if (!holder) return [];
  const message = `port ${port} is already used by agent "${holder.metadata.name}"; choose another`;
  return [{ reason: "DuplicatePort", path: "spec.port", message }];
}

/** Every problem in what an agent refers to; none means that its run configuration can be rendered. */
export const resolveAgent = (agent: PallasAgent, around: Neighbourhood): ValidationError[] => [
  ...modelProblems(agent, around),
  ...serverProblems(agent, around),
  ...agentProblems(agent, around),
  ...graphProblems(agent, around),
  ...prefixProblems(agent, around),
  ...portProblems(agent, around),
];

/** Problems of references inside an instance: its default model's provider. */
export function resolveInstance(instance: PallasInstance): ValidationError[] {
  const { defaultModel, providers = [] } = instance.spec;
  if (defaultModel === undefined) return [];
  const { provider } = splitModel(defaultModel);
  const known = providers.map(({ name }) => name);
  if (isBuiltIn(provider) || known.includes(provider)) return [];
  const message = `model "${defaultModel}": ${missing("provider", provider, known, "spec.providers has")}`;
  return [{ reason: "ProviderNotFound", path: "spec.defaultModel", message }];
}

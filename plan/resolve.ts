// From names to what they stand for: model providers, downstream servers, sub-agents and dependencies of one agent,
// all inside its namespace and instance (SEC-2). Faults of references show as ReferencesResolved=False.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { mcpName } from "../crds/names.ts";
import { suggestion } from "../crds/did-you-mean.ts";
import { listNames, type Fault } from "./fault.ts";
import { isBuiltIn, modelOf, splitModel } from "./models.ts";
import { callDepth, findCycle, isBehindCycle, maxCallDepth, type AgentsByName } from "./order.ts";

/** What an agent is resolved against: its instance, and all agents of that instance in its namespace. */
export interface Neighbourhood {
  instance: PallasInstance;
  agents: AgentsByName;
  /** By the name of an agent, those that call it. */
  callers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Agents that are there but faulty: naming one is no fault of who names it. */
  faulty?: ReadonlySet<string>;
}

const missing = (what: string, name: string, known: readonly string[], where: string) =>
  `${what} "${name}" does not exist${suggestion(name, known)}; ${where} ${listNames(known)}`;

function modelFaults(agent: PallasAgent, { instance }: Neighbourhood): Fault[] {
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
  return refs.flatMap(({ path, ref }): Fault[] => {
    const { provider } = splitModel(ref);
    if (isBuiltIn(provider) || known.includes(provider)) return [];
    const where = `instance "${instance.metadata.name}" has the providers`;
    const message = `model "${ref}": ${missing("provider", provider, known, where)}`;
    return [{ reason: "ProviderNotFound", path, message }];
  });
}

function serverFaults(agent: PallasAgent, { instance }: Neighbourhood): Fault[] {
  const known = (instance.spec.servers ?? []).map(({ name }) => name);
  return (agent.spec.servers ?? []).flatMap(({ name }, position): Fault[] => {
    if (known.includes(name)) return [];
    const message = missing("server", name, known, `instance "${instance.metadata.name}" has the servers`);
    return [{ reason: "ServerNotFound", path: `spec.servers[${position}].name`, message }];
  });
}

function agentFaults(agent: PallasAgent, { instance, agents, faulty }: Neighbourhood): Fault[] {
  const refs = [
    ...(agent.spec.agents ?? []).map(({ name }, position) => ({ path: `spec.agents[${position}].name`, name })),
    ...(agent.spec.dependsOn ?? []).map((name, position) => ({ path: `spec.dependsOn[${position}]`, name })),
  ];
  return refs.flatMap(({ path, name }): Fault[] => {
    if (agents.has(name) || faulty?.has(name)) return [];
    const known = [...agents.keys()].filter((other) => other !== agent.metadata.name);
    const message = missing("agent", name, known, `instance "${instance.metadata.name}" has the other agents`);
    return [{ reason: "AgentNotFound", path, message }];
  });
}

function graphFaults(agent: PallasAgent, { agents }: Neighbourhood): Fault[] {
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
function prefixFaults(agent: PallasAgent, { instance }: Neighbourhood): Fault[] {
  const prefixes = new Map(
    (agent.spec.servers ?? []).map(({ name }) => {
      const server = instance.spec.servers?.find((candidate) => candidate.name === name);
      return [server?.prefix ?? name, name];
    }),
  );
  return (agent.spec.agents ?? []).flatMap(({ name }, position): Fault[] => {
    const server = prefixes.get(mcpName(name));
    if (server === undefined) return [];
    const message = `agent "${name}" and server "${server}" would have the same prefix "${mcpName(name)}" to the model; set another prefix on the server`;
    return [{ reason: "DuplicateName", path: `spec.agents[${position}].name`, message }];
  });
}

const createdBefore = (a: PallasAgent, b: PallasAgent): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  return first === second ? a.metadata.name < b.metadata.name : first < second;
};

/** Two agents cannot be published on one port of one host; the earlier one keeps it. */
function portFaults(agent: PallasAgent, { instance, agents }: Neighbourhood): Fault[] {
  const { port } = agent.spec;
  if (port === undefined || instance.spec.externalUrl?.host === undefined) return [];
  const holder = [...agents.values()].find(
    (other) => other.metadata.name !== agent.metadata.name && other.spec.port === port && createdBefore(other, agent),
  );
  if (!holder) return [];
  const message = `port ${port} is already used by agent "${holder.metadata.name}"; choose another`;
  return [{ reason: "DuplicatePort", path: "spec.port", message }];
}

/** Every fault in what an agent refers to; none means that its run configuration can be rendered. */
export const resolveAgent = (agent: PallasAgent, around: Neighbourhood): Fault[] => [
  ...modelFaults(agent, around),
  ...serverFaults(agent, around),
  ...agentFaults(agent, around),
  ...graphFaults(agent, around),
  ...prefixFaults(agent, around),
  ...portFaults(agent, around),
];

/** Faults of references inside an instance: its default model's provider. */
export function resolveInstance(instance: PallasInstance): Fault[] {
  const { defaultModel, providers = [] } = instance.spec;
  if (defaultModel === undefined) return [];
  const { provider } = splitModel(defaultModel);
  const known = providers.map(({ name }) => name);
  if (isBuiltIn(provider) || known.includes(provider)) return [];
  const message = `model "${defaultModel}": ${missing("provider", provider, known, "spec.providers has")}`;
  return [{ reason: "ProviderNotFound", path: "spec.defaultModel", message }];
}

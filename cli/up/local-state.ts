// What the registry is told: the resources with their status, and where each agent's admin port is: pure.
import type { AgentStatus } from "../../crds/agent.ts";
import type { ServerStatus } from "../../crds/server.ts";
import type { LocalState } from "../../crds/local-state.ts";
import { modelOf } from "../../plan/models.ts";
import { dependenciesOf } from "../../plan/order.ts";
import { renderAgentStatus } from "./agent-status.ts";
import type { Board } from "./board.ts";
import type { Desired } from "./desired.ts";
import { keyOf } from "./process-keys.ts";
import { renderServerStatus } from "./server-status.ts";

export interface LocalStateInput {
  desired: Desired;
  board: Board;
  registryUrl: string;
  /** Statuses as last written, by key. */
  previous: { agents: ReadonlyMap<string, AgentStatus>; servers: ReadonlyMap<string, ServerStatus> };
  /** RFC 3339, UTC. */
  now: string;
}

export function renderLocalState({ desired, board, registryUrl, previous, now }: LocalStateInput): LocalState {
  const agents = [...desired.listed].map(([key, listed]) => {
    const { agent } = listed;
    const instance = desired.instances.get(`${agent.metadata.namespace}/${agent.spec.instanceRef.name}`);
    const dependencies = dependenciesOf(agent).filter((name) => !board.isReady(`${agent.metadata.namespace}/${name}`));
    const status = renderAgentStatus({
      listed,
      model: instance === undefined ? "" : (modelOf(agent, instance) ?? ""),
      state: board.get(key),
      waitsFor: dependencies,
      portProblem: desired.refusedPorts.find((refused) => refused.key === key)?.message,
      previous: previous.agents.get(key),
      now,
    });
    return { ...agent, status };
  });
  const servers = [...desired.servers].map(([key, listed]) => {
    const isRunnable = desired.runnableServers.has(key);
    const before = previous.servers.get(keyOf(listed.server));
    const status = renderServerStatus({ listed, isRunnable, state: board.get(key), previous: before, now });
    return { ...listed.server, status };
  });
  const instances = [...desired.instances.values()].map((instance) => {
    const own = agents.filter(
      ({ metadata, spec }) => `${metadata.namespace}/${spec.instanceRef.name}` === keyOf(instance),
    );
    const ready = own.filter(({ status }) => status.readyReplicas === 1).length;
    return { ...instance, status: { ...instance.status, agents: { total: own.length, ready }, registryUrl } };
  });
  const endpoints = agents.flatMap(({ metadata, spec }): LocalState["endpoints"] => {
    const { phase, adminUrl, pid } = board.get(keyOf({ metadata })) ?? {};
    // One that is still starting would only be found not to answer.
    if (phase !== "ready" || adminUrl === undefined || pid === undefined) return [];
    const { namespace, name } = metadata;
    return [{ namespace, instance: spec.instanceRef.name, agent: name, pod: `${name}-${pid}`, adminUrl }];
  });
  const bridges = [...desired.servers].flatMap(([key, { server }]): LocalState["bridges"] => {
    const { adminUrl } = board.get(key) ?? {};
    // Also one that cannot work yet: what it wrote says why.
    if (adminUrl === undefined) return [];
    const { namespace, name } = server.metadata;
    return [{ namespace, instance: server.spec.instanceRef.name, server: name, adminUrl }];
  });
  const policies = [...desired.policies.values()].map(({ policy }) => policy);
  return { schema: 2, resources: [...instances, ...agents, ...servers, ...policies], endpoints, bridges };
}

// `resource://agents/{agent_id}/session/state`: whether the agent can be talked to, and where. From the watch alone.
import type { PallasAgent } from "../../../crds/agent.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { createAgentFamily } from "./agent-family.ts";
import { readReady } from "./agent-record.ts";

export function renderSessionState(agent: PallasAgent, state: Pick<GatewayState, "getEndpoint">) {
  const { metadata, spec, status } = agent;
  const { ready, message } = readReady(agent);
  const isReachable = state.getEndpoint(metadata.name) !== undefined;
  return {
    agent_id: metadata.name,
    status: spec.replicas === 0 ? "suspended" : ready && isReachable ? "connected" : "disconnected",
    ...defined({ message, url: status?.url }),
    replicas: status?.replicas ?? 0,
    ready_replicas: status?.readyReplicas ?? 0,
    conditions: (status?.conditions ?? []).map(
      ({ type, status: holds, reason, message: text, lastTransitionTime }) => ({
        type,
        status: holds,
        reason,
        message: text,
        since: lastTransitionTime,
      }),
    ),
  };
}

export const createSessionState = (state: GatewayState) =>
  createAgentFamily(state, {
    path: "session/state",
    name: "Session",
    description: "Whether the agent can be talked to, where, and what the operator says of it.",
    read: async (agent) => renderSessionState(agent, state),
  });

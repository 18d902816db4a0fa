// `resource://agents/{agent_id}/info`: what an agent is.
import type { GatewayState } from "../../state/state.ts";
import { createAgentFamily } from "./agent-family.ts";
import { renderAgentInfo } from "./agent-record.ts";

export const createAgentInfo = (state: GatewayState) =>
  createAgentFamily(state, {
    path: "info",
    name: "Agent",
    description: "What the agent is: title, description, model, what it uses.",
    read: async (agent, identity) => renderAgentInfo(agent, state.getInstance(), identity),
  });

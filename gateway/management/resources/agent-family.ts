// Resources that each agent has one of: `resource://agents/{agent_id}/…`, for whoever sees the agent.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { CallContext } from "../../../lib/mcp/table.ts";
import type { GatewayState } from "../../state/state.ts";
import { seesAgent } from "../access.ts";
import type { ResourceFamily, Touched } from "./family.ts";

interface AgentResource {
  /** Behind the agent's name. */
  path: string;
  name: string;
  description: string;
  /** Beside seeing the agent. */
  isFor?: (identity: Identity) => boolean;
  read(agent: PallasAgent, identity: Identity, context: CallContext): Promise<unknown>;
  follow?(agent: string, onChange: () => void): () => void;
  /** Agents of which it says something else after a change of policies or approvals. */
  touchedAgents?(change: Touched): readonly string[];
}

export const agentUri = (agent: string, path: string) => `resource://agents/${agent}/${path}`;

export function createAgentFamily(
  state: Pick<GatewayState, "listAgents" | "getAgent">,
  { path, name, description, isFor = () => true, read, follow, touchedAgents }: AgentResource,
): ResourceFamily {
  return {
    uri: agentUri("{agent_id}", path),
    name,
    description,
    listKeys: (identity) =>
      state
        .listAgents()
        .map(({ metadata }) => metadata.name)
        .filter((agent) => seesAgent(identity, agent) && isFor(identity)),
    mayRead: (agent, identity) => seesAgent(identity, agent) && isFor(identity) && state.getAgent(agent) !== undefined,
    async read(key, identity, context) {
      const agent = state.getAgent(key);
      return agent === undefined ? undefined : await read(agent, identity, context);
    },
    ...(follow && { follow }),
    ...(touchedAgents && { touchedKeys: touchedAgents }),
  };
}

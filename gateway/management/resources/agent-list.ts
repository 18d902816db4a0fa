// `resource://agents/list`: the agents that the caller sees, as an array.
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent } from "../access.ts";
import { renderAgentRecord } from "./agent-record.ts";
import type { ResourceFamily } from "./family.ts";

export const renderAgentList = (state: Pick<GatewayState, "listAgents">, identity: Identity) =>
  state
    .listAgents()
    .filter(({ metadata }) => seesAgent(identity, metadata.name))
    .map(renderAgentRecord);

export const createAgentList = (state: Pick<GatewayState, "listAgents">): ResourceFamily => ({
  uri: "resource://agents/list",
  name: "Agents",
  description: "All agents of the instance.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  read: async (_key, identity) => renderAgentList(state, identity),
  changedKeys: () => [""],
});

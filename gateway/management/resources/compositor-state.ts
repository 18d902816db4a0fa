// `resource://compositor_meta/state/{server}`: how a server of the instance stands with each agent that uses it. It is `failed`
// where one of them cannot reach it, and `running` where all of those can that have said anything.
import { defined } from "../../../lib/process/defined.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent, seesServer } from "../access.ts";
import type { ResourceFamily } from "./family.ts";
import { renderMount, type Health, type Mount } from "./mcp-state.ts";

/** Agents that are asked for one server; of further ones nothing is said but their number. */
export const maxAskedAgents = 64;

export function createCompositorState(state: GatewayState, health: Health): ResourceFamily {
  const servers = () => (state.getInstance()?.spec.servers ?? []).map(({ name }) => name);
  const usersOf = (server: string) =>
    state
      .listAgents()
      .filter(({ spec }) => spec.servers?.some(({ name }) => name === server))
      .map(({ metadata }) => metadata.name);
  const sees = (identity: Identity, server: string) => isViewer(identity) && seesServer(identity, server);
  return {
    uri: "resource://compositor_meta/state/{server}",
    name: "Server",
    description: "How a server of the instance stands with the agents that use it: initializing, running or failed.",
    listKeys: (identity) => servers().filter((server) => sees(identity, server)),
    mayRead: (server, identity) => sees(identity, server) && servers().includes(server),
    async read(server, identity) {
      const users = usersOf(server).filter((agent) => seesAgent(identity, agent));
      const asked = users.slice(0, maxAskedAgents);
      const mounts = await Promise.all(
        asked.map(async (agent) => ({ agent_id: agent, ...renderMount(await health.get(agent), server) })),
      );
      const leftOut = users.length - asked.length;
      return { server, state: combine(mounts), mounts, ...defined({ left_out: leftOut > 0 ? leftOut : undefined }) };
    },
    changedKeys: servers,
    follow(server, onChange) {
      const stops = usersOf(server)
        .slice(0, maxAskedAgents)
        .map((agent) => health.follow(agent, onChange));
      return () => stops.forEach((stop) => stop());
    },
  };
}

function combine(mounts: readonly Mount[]): Mount["state"] {
  if (mounts.some(({ state }) => state === "failed")) return "failed";
  return mounts.some(({ state }) => state === "running") ? "running" : "initializing";
}

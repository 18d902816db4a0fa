// `agents_attach_server` and `agents_detach_server`: one entry of an agent's list of servers, the others as they are.
import * as z from "zod";
import type { AgentSpec } from "../../../crds/agent.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { findAgent } from "./find-agent.ts";
import { agentId, defineTool, ToolRefused, type ManagementTool } from "./tool.ts";
import { renderWritten, requireSound, requireVisible, type WriteParts } from "./write-agent.ts";

type UsedServers = NonNullable<AgentSpec["servers"]>;

const server = z.string().min(1).max(63).meta({ description: "Name of a server of the instance." });
const patterns = (description: string) =>
  z.array(z.string().min(1).max(128)).max(128).meta({ description }).exactOptional();

export function createAgentsServers(parts: WriteParts): ManagementTool[] {
  const { state, writesFor } = parts;
  const change = async (identity: Identity, name: string, edit: (servers: UsedServers) => UsedServers) => {
    const agent = findAgent(state, identity, name);
    const servers = edit(agent.spec.servers ?? []);
    const spec = { ...agent.spec, servers };
    requireVisible(identity, spec, agent.spec);
    requireSound(parts, { name, spec });
    return renderWritten(parts, await writesFor(identity).agents.patch(name, { spec: { servers } }));
  };
  return [
    defineTool({
      name: "agents_attach_server",
      title: "Attach a server",
      description: "Gives an agent a server of the instance, or says anew which of the server's tools it may use.",
      role: "admin",
      writes: true,
      annotations: { destructiveHint: false, idempotentHint: true },
      args: z.strictObject({
        agent_id: agentId,
        server,
        tools: z
          .strictObject({ allow: patterns("Only these."), deny: patterns("Not these; it wins over allow.") })
          .meta({ description: "Which of its tools; * stands for any characters. Default all." })
          .exactOptional(),
      }),
      call: async ({ agent_id, server: name, tools }, identity) =>
        await change(identity, agent_id, (servers) => {
          const entry = { name, ...defined({ tools }) };
          const isThere = servers.some((each) => each.name === name);
          return isThere ? servers.map((each) => (each.name === name ? entry : each)) : [...servers, entry];
        }),
    }),
    defineTool({
      name: "agents_detach_server",
      title: "Detach a server",
      description: "Takes a server from an agent.",
      role: "admin",
      writes: true,
      annotations: { destructiveHint: true, idempotentHint: true },
      args: z.strictObject({ agent_id: agentId, server }),
      call: async ({ agent_id, server: name }, identity) =>
        await change(identity, agent_id, (servers) => {
          const left = servers.filter((each) => each.name !== name);
          if (left.length < servers.length) return left;
          throw new ToolRefused("not_found", `agent "${agent_id}" does not use a server "${name}"`);
        }),
    }),
  ];
}

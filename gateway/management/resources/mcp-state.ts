// `resource://agents/{agent_id}/mcp/state`: the servers and agents that an agent uses, each with how its mount stands, as an
// array. What the resource names is always there; how it stands is what the agent itself said last.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { HealthReport } from "../../../crds/health.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import { seesAgent, seesServer } from "../access.ts";
import type { Answer, Asked } from "../agents/asked.ts";
import { createAgentFamily } from "./agent-family.ts";

export type Health = Asked<HealthReport>;

/** `initializing`: the agent has not said how it stands. */
export interface Mount {
  state: "initializing" | "running" | "failed";
  detail?: string;
  checked_at?: string;
}

export function renderMount(answer: Answer<HealthReport>, name: string): Mount {
  if (!answer.ok) return { state: "failed", detail: `the agent does not answer: ${answer.problem}` };
  const part = answer.value.downstreams[name];
  if (part === undefined) return { state: "initializing" };
  const { ok, detail, checkedAt } = part;
  return { state: ok ? "running" : "failed", ...defined({ detail }), checked_at: checkedAt };
}

export async function renderMcpState({ metadata, spec }: PallasAgent, health: Health, identity: Identity) {
  const servers = (spec.servers ?? []).filter(({ name }) => seesServer(identity, name));
  const agents = (spec.agents ?? []).filter(({ name }) => seesAgent(identity, name));
  if (servers.length + agents.length === 0) return [];
  const answer = await health.get(metadata.name);
  return [
    ...servers.map(({ name, tools }) => ({
      server: name,
      kind: "server",
      ...defined({ tools }),
      ...renderMount(answer, name),
    })),
    ...agents.map(({ name }) => ({ server: name, kind: "agent", ...renderMount(answer, name) })),
  ];
}

export const createMcpState = (state: GatewayState, health: Health) =>
  createAgentFamily(state, {
    path: "mcp/state",
    name: "Servers",
    description: "The servers and agents that the agent uses, and whether each can be reached.",
    read: (agent, identity) => renderMcpState(agent, health, identity),
    follow: (agent, onChange) => health.follow(agent, onChange),
  });

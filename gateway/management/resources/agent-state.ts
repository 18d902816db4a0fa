// `resource://agents/{agent_id}/state`: idle, running or suspended, and since when that is known. An agent that cannot be asked
// is `unknown` with the reason: neither idle nor running would be true.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { Run } from "../../../crds/runs.ts";
import { renderTime, type Clock } from "../../../lib/process/clock.ts";
import type { GatewayState } from "../../state/state.ts";
import type { Answer, Asked } from "../agents/asked.ts";
import { createAgentFamily } from "./agent-family.ts";

export type Runs = Asked<readonly Run[]>;

/** `timestamp`: when that was seen; of a running agent, `since` when its oldest call began. */
export async function renderAgentState({ metadata, spec }: PallasAgent, runs: Runs, clock: Clock) {
  const agent_id = metadata.name;
  if (spec.replicas === 0) return { agent_id, state: "suspended", timestamp: renderTime(clock), runs: [] };
  return { agent_id, ...renderRuns(await runs.get(agent_id)) };
}

function renderRuns(answer: Answer<readonly Run[]>) {
  const timestamp = answer.at;
  if (!answer.ok) return { state: "unknown", timestamp, message: answer.problem, runs: [] };
  const runs = answer.value.map(({ id, startedAt }) => ({ run_id: id, started_at: startedAt }));
  const [oldest] = runs;
  if (oldest === undefined) return { state: "idle", timestamp, runs };
  return { state: "running", timestamp, since: oldest.started_at, runs };
}

export const createAgentState = (state: GatewayState, runs: Runs, clock: Clock) =>
  createAgentFamily(state, {
    path: "state",
    name: "State",
    description: "Whether the agent is idle, running or suspended, and the calls it is working on.",
    read: (agent) => renderAgentState(agent, runs, clock),
    follow: (agent, onChange) => runs.follow(agent, onChange),
  });

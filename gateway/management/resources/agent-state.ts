// `resource://agents/{agent_id}/state`: idle, running or suspended, and since when that is known, with the calls that run and the
// last that ended. An agent that cannot be asked is `unknown` with the reason: neither idle nor running would be true.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { EndedRun, Run } from "../../../crds/runs.ts";
import { renderTime, type Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { GatewayState } from "../../state/state.ts";
import type { AgentRuns } from "../agents/admin-client.ts";
import type { Answer, Asked } from "../agents/asked.ts";
import { createAgentFamily } from "./agent-family.ts";

export type Runs = Asked<AgentRuns>;

/** `timestamp`: when that was seen; of a running agent, `since` when its oldest call began. */
export async function renderAgentState({ metadata, spec }: PallasAgent, runs: Runs, clock: Clock) {
  const agent_id = metadata.name;
  if (spec.replicas === 0) return { agent_id, state: "suspended", timestamp: renderTime(clock), runs: [], ended: [] };
  return { agent_id, ...renderRuns(await runs.get(agent_id)) };
}

function renderRuns(answer: Answer<AgentRuns>) {
  const timestamp = answer.at;
  if (!answer.ok) return { state: "unknown", timestamp, message: answer.problem, runs: [], ended: [] };
  const runs = answer.value.runs.map(renderRun);
  const ended = answer.value.ended.map(renderEnded);
  const [oldest] = runs;
  if (oldest === undefined) return { state: "idle", timestamp, runs, ended };
  return { state: "running", timestamp, since: oldest.started_at, runs, ended };
}

const renderRun = ({ id, startedAt, caller, steps, tokens }: Run) => ({
  run_id: id,
  started_at: startedAt,
  ...defined({ caller }),
  steps,
  tokens,
});

const renderEnded = (run: EndedRun) => ({ ...renderRun(run), ended_at: run.endedAt, outcome: run.outcome });

export const createAgentState = (state: GatewayState, runs: Runs, clock: Clock) =>
  createAgentFamily(state, {
    path: "state",
    name: "State",
    description:
      "Whether the agent is idle, running or suspended, the calls it is working on, and the last that ended.",
    read: (agent) => renderAgentState(agent, runs, clock),
    follow: (agent, onChange) => runs.follow(agent, onChange),
  });

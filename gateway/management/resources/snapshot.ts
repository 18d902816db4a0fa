// `resource://agents/{agent_id}/snapshot`: everything that the other resources of the agent say, at one time.
import type { Clock } from "../../../lib/process/clock.ts";
import type { GatewayState } from "../../state/state.ts";
import { createAgentFamily } from "./agent-family.ts";
import { renderAgentInfo } from "./agent-record.ts";
import { renderAgentState, type Runs } from "./agent-state.ts";
import { renderMcpState, type Health } from "./mcp-state.ts";
import { renderSessionState } from "./session-state.ts";

export const createSnapshot = (state: GatewayState, runs: Runs, health: Health, clock: Clock) =>
  createAgentFamily(state, {
    path: "snapshot",
    name: "Snapshot",
    description: "All that is known of the agent now: what it is, its state and calls, its session and its servers.",
    async read(agent, identity) {
      const [current, mcp] = await Promise.all([
        renderAgentState(agent, runs, clock),
        renderMcpState(agent, health, identity),
      ]);
      const { runs: calls, ...rest } = current;
      const info = renderAgentInfo(agent, state.getInstance(), identity);
      return { info, state: rest, runs: calls, session: renderSessionState(agent, state), mcp };
    },
    follow(agent, onChange) {
      const stops = [runs.follow(agent, onChange), health.follow(agent, onChange)];
      return () => stops.forEach((stop) => stop());
    },
  });

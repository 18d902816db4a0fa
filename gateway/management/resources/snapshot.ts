// `resource://agents/{agent_id}/snapshot`: everything that the other resources of the agent say, at one time.
import type { Clock } from "../../../lib/process/clock.ts";
import type { GatewayState } from "../../state/state.ts";
import type { ApprovalViews } from "../approvals/views.ts";
import { createAgentFamily } from "./agent-family.ts";
import { renderAgentInfo } from "./agent-record.ts";
import { renderAgentState, type Runs } from "./agent-state.ts";
import { renderMcpState, type Health } from "./mcp-state.ts";
import { renderSessionState } from "./session-state.ts";

export interface SnapshotParts {
  state: GatewayState;
  runs: Runs;
  health: Health;
  views: Pick<ApprovalViews, "pending" | "agentsOf">;
  clock: Clock;
}

export const createSnapshot = ({ state, runs, health, views, clock }: SnapshotParts) =>
  createAgentFamily(state, {
    path: "snapshot",
    name: "Snapshot",
    description:
      "All that is known of the agent now: what it is, its state and calls, its session, its servers, and what waits for approval.",
    async read(agent, identity) {
      const [current, mcp] = await Promise.all([
        renderAgentState(agent, runs, clock),
        renderMcpState(agent, health, identity),
      ]);
      const { runs: calls, ended, ...rest } = current;
      const info = renderAgentInfo(agent, state.getInstance(), identity);
      const approvals = identity.kind === "person" ? views.pending(identity, agent.metadata.name) : [];
      return { info, state: rest, runs: calls, ended, session: renderSessionState(agent, state), mcp, approvals };
    },
    touchedAgents: (change) => views.agentsOf(change),
    follow(agent, onChange) {
      const stops = [runs.follow(agent, onChange), health.follow(agent, onChange)];
      return () => stops.forEach((stop) => stop());
    },
  });

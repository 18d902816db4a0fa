// `agents_abort_run` and `agents_abort_agent`: one call of an agent ended, or all of them. Whoever made the call gets a result that
// says so. The agent itself goes on.
import * as z from "zod";
import type { Clock } from "../../../lib/process/clock.ts";
import type { GatewayState } from "../../state/state.ts";
import type { AdminClient } from "../agents/admin-client.ts";
import { findAgent } from "./find-agent.ts";
import { agentId, defineTool, renderAnswer, ToolRefused } from "./tool.ts";

const timeoutMs = 5_000;

export interface AbortParts {
  state: GatewayState;
  admin: Pick<AdminClient, "abortRun" | "abortAll">;
  clock: Clock;
}

export const createAgentsAbort = ({ state, admin, clock }: AbortParts) => [
  defineTool({
    name: "agents_abort_run",
    title: "Abort a call",
    description: "Aborts one call that an agent is working on, whoever made it. The agent's state names its calls.",
    role: "approver",
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({
      agent_id: agentId,
      run_id: z.string().min(1).max(64).meta({ description: "As the agent's state has it." }),
    }),
    async call({ agent_id, run_id }, identity, context) {
      findAgent(state, identity, agent_id);
      const aborted = await within(context.signal, agent_id, clock, (signal) =>
        admin.abortRun(agent_id, run_id, signal),
      );
      if (!aborted) {
        throw new ToolRefused("not_found", `agent "${agent_id}" works on no call "${run_id}"; it may have ended`);
      }
      return renderAnswer({ agent_id, run_id, aborted: 1 });
    },
  }),
  defineTool({
    name: "agents_abort_agent",
    title: "Abort all calls of an agent",
    description: "Aborts every call that an agent is working on, whoever made it. The agent stays and takes new ones.",
    role: "approver",
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({ agent_id: agentId }),
    async call({ agent_id }, identity, context) {
      findAgent(state, identity, agent_id);
      const aborted = await within(context.signal, agent_id, clock, (signal) => admin.abortAll(agent_id, signal));
      return renderAnswer({ agent_id, aborted });
    },
  }),
];

async function within<T>(
  caller: AbortSignal,
  agent: string,
  clock: Clock,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
  try {
    return await ask(AbortSignal.any([caller, late.signal]));
  } catch (error) {
    const why = error instanceof Error ? error.message : "it failed";
    throw new ToolRefused("unready", `agent "${agent}" could not be asked: ${why}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

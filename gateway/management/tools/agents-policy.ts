// `agents_set_policy`: by which policy an agent's calls are judged.
import * as z from "zod";
import { findAgent } from "./find-agent.ts";
import { agentId, defineTool, ToolRefused, type ManagementTool } from "./tool.ts";
import { renderWritten, requireSound, type WriteParts } from "./write-agent.ts";

export const createAgentsSetPolicy = (parts: WriteParts): ManagementTool =>
  defineTool({
    name: "agents_set_policy",
    title: "Set an agent's policy",
    description: "Says by which policy the calls of an agent are judged. It holds for calls that are made from now on.",
    role: "admin",
    writes: true,
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({
      agent_id: agentId,
      policy: z.string().min(1).max(63).nullable().meta({
        description: "Name of a PallasPolicy; null: the one that the instance gives its agents, if any.",
      }),
    }),
    async call({ agent_id, policy }, identity) {
      const { state, writesFor } = parts;
      const agent = findAgent(state, identity, agent_id);
      if (policy !== null && state.getPolicy(policy) === undefined) {
        const message = `policy "${policy}" is not there: every call of the agent would be denied; create the PallasPolicy first`;
        throw new ToolRefused("not_found", message);
      }
      const policyRef = policy === null ? undefined : { name: policy };
      const { policyRef: _before, ...rest } = agent.spec;
      requireSound(parts, { name: agent_id, spec: policyRef === undefined ? rest : { ...rest, policyRef } });
      return renderWritten(
        parts,
        await writesFor(identity).agents.patch(agent_id, { spec: { policyRef: policyRef ?? null } }),
      );
    },
  });

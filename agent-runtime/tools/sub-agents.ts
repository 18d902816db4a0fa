// Another agent of the instance as one tool of this one: `{name}__{name}` with a message (PRG-4 passes its progress on).
// Its connection belongs to one run, so that conversations of different callers never mix in it.
import type { RunSubAgent } from "../../crds/run-config.ts";
import { mcpName, sessionIdMetaKey, waitsMetaKey } from "../../crds/names.ts";
import type { Link } from "../../lib/mcp/link.ts";
import { defined } from "../../lib/process/defined.ts";
import { renderToolName } from "../../lib/mcp/tool-name.ts";
import type { ToolRoute } from "./route.ts";

/** Of an agent, as of a server. */
const agentTool = "send_message";
/** Agents send a heartbeat every 15 s while they work. */
const idleTimeoutMs = 60_000;

const inputSchema = {
  type: "object" as const,
  properties: { message: { type: "string", description: "The message to the agent." } },
  required: ["message"],
  additionalProperties: false,
};

/** The tool that stands for `agent` during one run; calls of that run continue one conversation with it. */
export function renderSubAgentRoute(agent: RunSubAgent, link: Link): ToolRoute {
  const definition = { description: agent.description, inputSchema };
  const spelled = mcpName(agent.name);
  // Known only where the connection itself names no conversation (2026 era).
  let sessionId: string | undefined;
  const name = renderToolName(spelled, spelled);
  return {
    name,
    label: { server: spelled, tool: `${spelled}__${spelled}` },
    downstream: agent.name,
    operation: "tool",
    linksReadable: false,
    description: agent.description,
    inputSchema,
    judged: (args) => ({ call: { server: agent.name, tool: agentTool, args, definition }, withArgs: (sent) => sent }),
    renderProgress: ({ progress, total, message, meta }) =>
      message === undefined
        ? undefined
        : { message, done: progress === total, fromAgent: true, waits: meta?.[waitsMetaKey] === true },
    async call({ message }, options) {
      const args = sessionId === undefined ? { message } : { message, session_id: sessionId };
      const result = await link.call(agentTool, args, {
        ...options,
        ...defined({ meta: options.chain }),
        idleTimeoutMs,
      });
      const given = result.meta?.[sessionIdMetaKey];
      if (typeof given === "string") sessionId = given;
      return result;
    },
  };
}

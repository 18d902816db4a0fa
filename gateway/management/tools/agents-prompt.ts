// `agents_prompt`: one message to an agent, its progress and its answer passed on as they are. A conversation is begun with each
// call that names none.
import * as z from "zod";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { CallResult, ToolDescription } from "../../../lib/mcp/connect.ts";
import { relayedAsking } from "../../../lib/mcp/relay.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { McpError } from "../../../lib/mcp/mcp-error.ts";
import { findReservedMisuse } from "../../../lib/mcp/policy-error.ts";
import type { CallContext, ToolResult } from "../../../lib/mcp/table.ts";
import { defined } from "../../../lib/process/defined.ts";
import { effectiveScope } from "../../../plan/settings.ts";
import { agentTool } from "../../discovery/may-call.ts";
import type { GatewayPolicy } from "../../policy/gateway-policy.ts";
import { askedIn } from "../../policy/waiting-progress.ts";
import type { CallTrend } from "../../servers/call-trend.ts";
import type { GatewayState } from "../../state/state.ts";
import { linkCaller, type AgentLinks } from "../agents/agent-links.ts";
import { readReady } from "../resources/agent-record.ts";
import { findAgent } from "./find-agent.ts";
import { agentId, defineTool, schemaOf, ToolRefused } from "./tool.ts";

/** Agents send a heartbeat every 15 s while they work. */
const idleTimeoutMs = 60_000;
/** Calls to agents under way, of all callers and of one. */
const maxPrompts = { all: 256, perCaller: 16 };
const newConversation = "new";

export interface PromptParts {
  policy: Pick<GatewayPolicy, "judge">;
  state: GatewayState;
  links: AgentLinks;
  /** Hears when a message of this caller goes to an agent, and when it is over. */
  noteTalk: (agent: string, identity: Identity) => void;
  /** Hears of each message that an agent was sent, when it is over. */
  trend: Pick<CallTrend, "countMessage">;
  clock: Clock;
}

const messageArgs = z.strictObject({
  message: z.string().meta({ description: "The message to the agent." }),
  images: z
    .array(z.strictObject({ data: z.string(), mime_type: z.string().max(100) }))
    .max(16)
    .meta({ description: "Images that belong to the message: data in base64, and its type." })
    .exactOptional(),
  session_id: z
    .string()
    .max(256)
    .meta({ description: "A conversation to go on with, as an answer named it. Without one a new one begins." })
    .exactOptional(),
});
const args = messageArgs.extend({ agent_id: agentId });

/** As the gateway's policy judges it, whichever way the message came. */
export const messageTool: ToolDescription = { name: agentTool, inputSchema: schemaOf(messageArgs) };

export function createAgentsPrompt(parts: PromptParts) {
  const { policy, state, links } = parts;
  const slots = createSlots();
  return defineTool({
    name: "agents_prompt",
    title: "Ask an agent",
    description: "Sends a message to an agent and returns its answer, with its progress on the way.",
    role: "caller",
    annotations: { readOnlyHint: false, openWorldHint: true },
    args,
    async call(given, identity, context) {
      const agent = findAgent(state, identity, given.agent_id);
      const { agent_id: name, ...asked } = given;
      const called = { server: name, definition: messageTool, args: asked, identity, ...askedIn(context) };
      const judged = await policy.judge(called);
      if (judged.answer !== undefined) return judged.answer;
      const { images, message, session_id: sessionId } = messageArgs.parse(judged.permit.args);
      const lease = links.lease(name, { ...linkCaller(identity, context.bearer), askable: context.asking?.can });
      if (lease === undefined) {
        const { message: why = "no process of it is reachable" } = readReady(agent);
        throw new ToolRefused("unready", `agent "${name}" is not ready: ${why}`);
      }
      const leave = slots.enter(identity);
      parts.noteTalk(name, identity);
      try {
        const result = await lease.link.call(
          agentTool,
          { message, ...defined({ images, session_id: sessionId ?? findDefault(parts, name) }) },
          {
            signal: context.signal,
            idleTimeoutMs,
            onProgress: passOn(context),
            ...relayedAsking(name, context.asking, parts.clock),
          },
        );
        parts.trend.countMessage({ agent: name, success: result.isError !== true });
        return passBack(result);
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        if (error.kind !== "cancelled") parts.trend.countMessage({ agent: name, success: false });
        throw findReservedMisuse(error, name) ?? renderUnanswered(name, error);
      } finally {
        leave();
        lease.release();
        parts.noteTalk(name, identity);
      }
    },
  });
}

const renderUnanswered = (name: string, error: McpError): ToolRefused =>
  new ToolRefused("unready", `agent "${name}" did not answer: ${error.tell()}`, { cause: error });

/** Agents of other scopes know no conversation by an id. */
function findDefault({ state }: PromptParts, name: string): string | undefined {
  const [agent, instance] = [state.getAgent(name), state.getInstance()];
  return agent && instance && effectiveScope(agent, instance) === "connection" ? newConversation : undefined;
}

const passOn =
  ({ sendProgress }: CallContext) =>
  (progress: Parameters<NonNullable<CallContext["sendProgress"]>>[0]) =>
    void sendProgress?.(progress);

/** The agent's own result. */
const passBack = ({ content, isError, structuredContent, meta }: CallResult): ToolResult => ({
  content,
  ...defined({ isError, structuredContent, meta }),
});

function createSlots() {
  const held = new Map<string, number>();
  let all = 0;
  return {
    /** Throws a ToolRefused when there are too many; what it returns gives the place back. */
    enter({ subject }: Identity): () => void {
      const own = held.get(subject) ?? 0;
      if (own >= maxPrompts.perCaller) {
        const message = `you have ${maxPrompts.perCaller} calls to agents under way, the most there may be; wait for one to end`;
        throw new ToolRefused("busy", message);
      }
      if (all >= maxPrompts.all) {
        throw new ToolRefused("busy", "too many calls to agents are under way; try again later");
      }
      held.set(subject, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (held.get(subject) ?? 1) - 1;
        if (left === 0) held.delete(subject);
        else held.set(subject, left);
      };
    },
  };
}

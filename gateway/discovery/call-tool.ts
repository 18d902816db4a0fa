// Calls one known tool in the name of a caller, whether it stands in a list or not: over the gateway's link to its server, or as a message to
// the agent that it is. Whether the caller may call it at all is judged before, what its policy says of
// this call here. Results are passed on as they are, with the progress on the way.
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { CallContext, ToolResult } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import { ToolRefused, type ManagementTool } from "../management/tools/tool.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { askedIn } from "../policy/waiting-progress.ts";
import type { Activation } from "../servers/activation.ts";
import type { ServerEntry } from "../servers/entry.ts";
import { hashOfTool } from "../servers/tool-hash.ts";
import type { ToolCall, ToolServers } from "../servers/tool-servers.ts";
import type { WritesFor } from "../state/state.ts";
import type { Tester } from "../tester/tester.ts";
import type { KnownTool } from "./known-tools.ts";
import { callAsOf } from "./tool-name.ts";
import { agentTool } from "./may-call.ts";

export interface CallToolParts {
  policy: Pick<GatewayPolicy, "judge">;
  servers: Pick<ToolServers, "call">;
  activation: Pick<Activation, "start">;
  /** Absent: this gateway starts no servers. */
  writesFor?: WritesFor | undefined;
  /** What agents_prompt does. */
  promptAgent: ManagementTool["call"];
  /** In the caller's own session with a server that is to have the caller's token. */
  callForwarding: Tester["callTool"];
}

export interface AskedCall {
  known: KnownTool;
  args: Record<string, unknown>;
  identity: Identity;
  context: CallContext;
  /** Of those that only agents reach. */
  agentsToAsk: readonly string[];
}

export interface CallTool {
  /** Rejects with ToolRefused, WriteRefused where a server cannot be started, or an error of lib/mcp/policy-error.ts. */
  (asked: AskedCall): Promise<ToolResult>;
  /** Whether a call of its tools would start it. */
  canStart(identity: Identity, entry: ServerEntry): boolean;
}

export function createCallTool(parts: CallToolParts): CallTool {
  const { writesFor, activation } = parts;
  const canStart = (identity: Identity, { known }: ServerEntry) =>
    writesFor !== undefined && known.resource !== undefined && requireRole(identity, "operator") === undefined;
  const start = async (entry: ServerEntry, tool: ToolDescription, identity: Identity): Promise<ToolDescription> => {
    if (entry.refusal !== undefined) throw new ToolRefused("unready", entry.refusal);
    if (writesFor === undefined || !canStart(identity, entry)) throw new ToolRefused("unready", howToStart(entry));
    await activation.start(entry, writesFor(identity));
    return findOffered(entry, tool);
  };
  const call = async (asked: AskedCall): Promise<ToolResult> => {
    const { known, args, identity, context, agentsToAsk } = asked;
    const { source, tool } = known;
    if (source.kind === "agent") return await parts.promptAgent({ agent_id: source.name, ...args }, identity, context);
    const { entry } = source;
    if (source.kind === "reported" || entry === undefined) throw askAgents(asked.known, agentsToAsk);
    // Of a tool that is known by name alone nothing is judged before its server has said what it is.
    const first = source.kind === "outline" ? undefined : await judge(parts.policy, entry, tool, asked);
    if (first?.answer !== undefined) return first.answer;
    const now = entry.isActive ? tool : await start(entry, tool, identity);
    const isJudged = first !== undefined && isSameTool(now, tool);
    const judged = isJudged ? first : await judge(parts.policy, entry, now, asked);
    if (judged.answer !== undefined) return judged.answer;
    return await callServer(parts, entry, { permit: judged.permit, caller: identity }, context);
  };
  return Object.assign(call, { canStart });
}

/** For a caller that may not start it, or a gateway that may not. */
export const howToStart = ({ name }: Pick<ServerEntry, "name">): string =>
  `server "${name}" is stopped: somebody with the role operator starts it by the action activate, or by spec.active of its PallasServer`;

const askAgents = ({ source, tool }: KnownTool, agents: readonly string[]): ToolRefused => {
  const [first = ""] = agents;
  return new ToolRefused("unready", `only agents reach server "${source.name}": ${howToAsk(tool.name, first)}`);
};

export const howToAsk = (tool: string, agent: string): string =>
  `ask agent "${agent}" by ${callAsOf(agent, agentTool)} to use its tool ${tool}`;

/** What was started may offer other tools than it did. */
function findOffered({ name, tools }: ServerEntry, tool: ToolDescription): ToolDescription {
  const offered = tools === undefined ? tool : tools.find((each) => each.name === tool.name);
  if (offered !== undefined) return offered;
  throw new ToolRefused("not_found", `server "${name}" was started, and offers no tool of this name any more`);
}

const isSameTool = (a: ToolDescription, b: ToolDescription): boolean => a === b || hashOfTool(a) === hashOfTool(b);

const judge = (
  policy: CallToolParts["policy"],
  entry: ServerEntry,
  definition: ToolDescription,
  { args, identity, context }: AskedCall,
) =>
  policy.judge({
    ...{ server: entry.name, definition, args, identity, ...askedIn(context) },
    current: () => (entry.tools === undefined ? definition : entry.tools.find(({ name }) => name === definition.name)),
  });

async function callServer(
  { servers, callForwarding }: CallToolParts,
  server: ServerEntry,
  asked: Pick<ToolCall, "permit" | "caller">,
  { signal, sendProgress, bearer, asking }: CallContext,
): Promise<ToolResult> {
  const isForwarding = (server.known.resource?.spec.remote ?? server.known.inline)?.forwardInboundAuth === true;
  const authorization = bearer === undefined ? undefined : `Bearer ${bearer}`;
  try {
    const { content, isError, structuredContent, meta } = await servers.call({
      ...asked,
      server,
      signal,
      asking,
      ...(sendProgress && { onProgress: (progress) => void sendProgress(progress) }),
      ...(isForwarding && {
        run: (idleTimeoutMs) => callForwarding({ ...asked, authorization, idleTimeoutMs, signal }),
      }),
    });
    return { content, ...defined({ isError, structuredContent, meta }) };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new ToolRefused("unready", `server "${server.name}": ${error.tell()}`, { cause: error });
  }
}

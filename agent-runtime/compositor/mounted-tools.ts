// The tools of all mounts in one list, under the names that the agent itself has for them, `{prefix}__{tool}`, and the way to
// each. What a server says of itself is passed on as its words; which server a call goes to is never its to say.
import { renderAnswer } from "../../lib/approvals/decided.ts";
import type { CallResult, ToolDescription } from "../../lib/mcp/connect.ts";
import type { CallOptions } from "../../lib/mcp/open-connection.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { findReservedMisuse } from "../../lib/mcp/policy-error.ts";
import type { CallContext, Requester, ToolEntry, ToolResult, ToolSource } from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import { relayedAsking } from "../../lib/mcp/relay.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { renderFreeName, renderToolName } from "../../lib/mcp/tool-name.ts";
import type { Authorizer } from "./authorize.ts";
import type { CountCall } from "./count-call.ts";
import { mountContent } from "./mounted-uris.ts";
import type { Mount } from "./mounts.ts";

export interface ToolParts {
  mounts: readonly Mount[];
  authorizer: Authorizer;
  countCall: CountCall;
  clock: Clock;
  /** What answers hold until they are sent. */
  memory: MemoryBudget;
  /** For the whole of a call. */
  callTimeoutMs: number;
}

interface MountedTool {
  server: string;
  tool: ToolDescription;
  entry: ToolEntry;
}

export function createMountedTools(parts: ToolParts): Pick<ToolSource, "list" | "find"> {
  let known: { lent: readonly (readonly ToolDescription[])[]; byName: ReadonlyMap<string, MountedTool> } | undefined;
  const readAll = async (): Promise<ReadonlyMap<string, MountedTool>> => {
    const lent = await Promise.all(parts.mounts.map((mount) => mount.tools()));
    // A mount hands out the same list as long as it is the same.
    if (known === undefined || lent.some((tools, at) => tools !== known?.lent[at])) {
      known = { lent, byName: indexTools(lent, parts) };
    }
    return known.byName;
  };
  const observeShown = async (requester: Requester) => {
    const hides = await parts.authorizer.observeHidden(requester);
    return ({ server, tool: { name, annotations } }: MountedTool) => !hides(server, name, annotations);
  };
  return {
    async list(requester) {
      const all = [...(await readAll()).values()];
      return all.filter(await observeShown(requester)).map(({ entry }) => entry);
    },
    async find(name, requester) {
      // A server that hangs must not hold up calls to another, whose tools are known.
      const found = known?.byName.get(name) ?? (await readAll()).get(name);
      if (found === undefined) return undefined;
      return (await observeShown(requester))(found) ? found.entry : undefined;
    },
  };
}

function indexTools(lent: readonly (readonly ToolDescription[])[], parts: ToolParts): Map<string, MountedTool> {
  const byName = new Map<string, MountedTool>();
  for (const [at, mount] of parts.mounts.entries()) {
    for (const tool of lent[at] ?? []) {
      const { name: server, prefix } = mount.server;
      const usual = renderToolName(prefix, tool.name);
      const name = byName.has(usual) ? renderFreeName(usual, server, tool.name) : usual;
      if (!byName.has(name)) byName.set(name, { server, tool, entry: renderEntry(name, tool, mount, parts) });
    }
  }
  return byName;
}

function renderEntry(name: string, tool: ToolDescription, mount: Mount, parts: ToolParts): ToolEntry {
  const { title, description = "", inputSchema, annotations } = tool;
  const findNow = async () => (await mount.tools()).find((each) => each.name === tool.name);
  return {
    name,
    ...defined({ title }),
    description,
    inputSchema,
    ...defined({ annotations }),
    schemaOf: "stranger",
    async call(args, context) {
      const call = { server: mount.server.name, tool: tool.name, args, definition: tool, current: findNow };
      const authorized = await parts.authorizer.authorize(call, context);
      if ("answer" in authorized) return renderAnswer(authorized.answer);
      return await callTool({ mount, tool: tool.name, args: authorized.args }, context, parts);
    },
  };
}

interface MountedCall {
  mount: Mount;
  tool: string;
  args: Record<string, unknown>;
}

/** A server's failure is a result that a model can read, as in the agent's own loop. */
async function callTool(
  { mount, tool, args }: MountedCall,
  context: CallContext,
  parts: ToolParts,
): Promise<ToolResult> {
  const { server } = mount;
  const { asking } = context;
  const lease = asking && mount.lease(asking.can);
  const link = lease?.link ?? mount.link;
  const holder = parts.memory.open();
  try {
    const { signal, sendProgress } = context;
    const options: CallOptions = {
      signal,
      idleTimeoutMs: server.timeoutMs,
      totalTimeoutMs: parts.callTimeoutMs,
      holder,
      ...relayedAsking(server.name, asking, parts.clock),
      ...(sendProgress && { onProgress: (progress) => void sendProgress(progress) }),
    };
    const result = await parts.countCall({
      server: server.name,
      operation: "tool",
      signal,
      ask: () => link.call(tool, args, options),
      isError: ({ isError }) => isError === true,
    });
    return renderResult(server.name, result);
  } catch (error) {
    if (!(error instanceof McpError) || context.signal.aborted) throw error;
    const misuse = findReservedMisuse(error, server.name);
    if (misuse !== undefined) throw misuse;
    return { content: [{ type: "text", text: `The tool failed: ${error.tell()}` }], isError: true };
  } finally {
    holder.release();
    lease?.release();
  }
}

function renderResult(server: string, { content, isError, structuredContent, meta }: CallResult): ToolResult {
  return {
    content: content.map((block) => mountContent(server, block)),
    ...defined({ isError, structuredContent, meta }),
  };
}

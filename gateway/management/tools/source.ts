// The tools of a table by who asks: a person is shown what their role may use, and told which role is missing when they call
// another; an agent finds those that are for agents as well, and no others.
import { requireRole, type Identity } from "../../../lib/auth/roles.ts";
import type { CallContext, ToolEntry, ToolResult, ToolSource } from "../../../lib/mcp/table.ts";
import { indexByName } from "../../../lib/mcp/table.ts";
import { defined } from "../../../lib/process/defined.ts";
import { WriteRefused } from "../../state/state.ts";
import { identityOf } from "../access.ts";
import { renderRefused, ToolRefused, type ManagementTool } from "./tool.ts";

/** Throws when a name occurs twice. */
export function createToolSource(all: readonly ManagementTool[], mayWrite: boolean): ToolSource {
  const byName = indexByName("tool", all);
  const entries = new Map(all.map((tool) => [tool, renderEntry(tool, mayWrite)]));
  return {
    list(requester) {
      const identity = identityOf(requester);
      const isShown = (tool: ManagementTool) => findMissing(tool, identity) === undefined && (mayWrite || !tool.writes);
      return [...entries].flatMap(([tool, entry]) => (isShown(tool) ? [entry] : []));
    },
    find(name, requester) {
      const tool = byName.get(name);
      if (tool === undefined || (identityOf(requester).kind === "agent" && !tool.forAgents)) return undefined;
      return entries.get(tool);
    },
  };
}

/** Why it is not for this caller. */
const findMissing = ({ role, forAgents }: ManagementTool, identity: Identity) =>
  identity.kind === "agent" && forAgents ? undefined : requireRole(identity, role);

function renderEntry(tool: ManagementTool, mayWrite: boolean): ToolEntry {
  const { name, title, description, annotations, inputSchema, meta } = tool;
  const call: ToolEntry["call"] = async (args, context) =>
    callGuarded(tool, args, identityOf(context), context, mayWrite);
  return { name, title, description, annotations, inputSchema, ...defined({ meta }), call };
}

async function callGuarded(
  tool: ManagementTool,
  args: Record<string, unknown>,
  identity: Identity,
  context: CallContext,
  mayWrite: boolean,
): Promise<ToolResult> {
  const missing = findMissing(tool, identity);
  if (missing !== undefined) return renderRefused({ type: "forbidden", message: `${tool.name}: ${missing.message}` });
  if (tool.writes && !mayWrite) {
    const message = `${tool.name}: this gateway changes no agents; set spec.gateway.management of the instance to readWrite`;
    return renderRefused({ type: "forbidden", message });
  }
  try {
    return await tool.call(args, identity, context);
  } catch (error) {
    if (error instanceof ToolRefused) return renderRefused(error);
    if (error instanceof WriteRefused) return renderRefused({ type: "conflict", message: error.message });
    throw error;
  }
}

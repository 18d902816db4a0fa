// `proxy_call` (DSC-4): runs a tool without having it in the caller's list. Its result is passed on as it is; when that is an error, or the
// tool is not there, similar tools are named beside it.
import * as z from "zod";
import { withoutNulls } from "../../../lib/mcp/arguments.ts";
import { findSchemaProblem } from "../../../lib/mcp/schema-check.ts";
import type { ToolResult } from "../../../lib/mcp/table.ts";
import { renderRefused, ToolRefused } from "../../management/tools/tool.ts";
import { AsIs, defineAction, type ActionContext } from "../action.ts";
import type { CallTool } from "../call-tool.ts";
import { addSuggestions, type Suggest } from "../did-you-mean.ts";
import { findNamed, namedTool, nameGiven, unknownTool } from "../name-tool.ts";
import { parameters } from "../parameters.ts";
import type { Reach } from "../reach.ts";
import { readRefusal } from "../refusal.ts";

export interface ProxyCallParts {
  reach: Reach;
  suggest: Suggest;
  callTool: CallTool;
}

const args = z.object({ ...namedTool, arguments: parameters.arguments.exactOptional() });
type Given = z.output<typeof args>;

export const createProxyCall = (parts: ProxyCallParts) =>
  defineAction({
    name: "proxy_call",
    summary: "calls a tool that find_tool found.",
    role: "caller",
    forAgents: true,
    args,
    async run(given, context) {
      const name = nameGiven("proxy_call", given);
      const result = await callGuarded(parts, name, given, context);
      if (result.isError !== true) return new AsIs(result);
      return new AsIs(addSuggestions(result, parts.suggest(name, context.identity)));
    },
  });

/** What is refused is a result too, so that it comes with similar names. */
async function callGuarded(
  parts: ProxyCallParts,
  name: string,
  given: Given,
  context: ActionContext,
): Promise<ToolResult> {
  try {
    return await call(parts, name, given, context);
  } catch (error) {
    const refused = readRefusal(error);
    if (refused === undefined) throw error;
    return renderRefused(refused);
  }
}

async function call(
  { reach, callTool }: ProxyCallParts,
  name: string,
  { arguments: sent = {}, ...named }: Given,
  { identity, call: context }: ActionContext,
): Promise<ToolResult> {
  const { known, reached } = findNamed(reach, named, identity);
  if (known === undefined) throw unknownTool(name);
  const { inputSchema } = known.tool;
  const given = withoutNulls(inputSchema, sent);
  // A message to an agent has other arguments than the tool that only the agent reaches.
  const problem = known.source.kind === "reported" ? undefined : findSchemaProblem(inputSchema, given, "the arguments");
  if (problem !== undefined) throw new ToolRefused("invalid", `${known.tool.name}: ${problem}`);
  const agentsToAsk = reached.agentsToAsk(known);
  return await callTool({ known, args: given, identity, context, agentsToAsk });
}

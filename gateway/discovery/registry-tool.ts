// The `registry` tool (DSC-1): one tool whose actions find, describe and call the tools of all servers, so that what a model is told costs
// the same however many there are. It says whom an action is for, and how what was refused reads; what is done stands in actions/.
import * as z from "zod";
import { requireRole, type Identity } from "../../lib/auth/roles.ts";
import { defineTool, renderRefused, ToolRefused, type ManagementTool } from "../management/tools/tool.ts";
import type { ToolOutcome } from "../metrics.ts";
import type { RegistryAction } from "./action.ts";
import { parameters } from "./parameters.ts";
import { readRefusal } from "./refusal.ts";

const registryToolName = "registry";

export interface RegistryToolParts {
  actions: readonly RegistryAction[];
  /** Hears of each action, with how it ended; error: it was refused, or failed. */
  onAction: (action: string, outcome: ToolOutcome) => void;
}

const purpose =
  "Finds tools of all MCP servers and agents here, and calls them. When none of your tools fits, ask find_tool: its query names the service, the action and the object. Then call what it found by its call_as, or by proxy_call.";

/** Throws when two actions have one name. */
export function createRegistryTool({ actions, onAction }: RegistryToolParts): ManagementTool {
  const byName = new Map(actions.map((each) => [each.name, each]));
  if (byName.size < actions.length) throw new Error("two actions of the registry tool have the same name");
  const summaries = actions.map(({ name, summary }) => `${name}: ${summary}`).join(" ");
  const action = z.enum(actions.map(({ name }) => name)).meta({ description: "What to do." });
  return defineTool({
    name: registryToolName,
    title: "Find and call tools",
    description: `${purpose} ${summaries}`,
    role: "viewer",
    forAgents: true,
    annotations: { readOnlyHint: false, openWorldHint: true },
    args: z.strictObject({ action, ...z.object(parameters).partial().shape }),
    async call({ action: name, ...args }, identity, call) {
      const found = byName.get(name);
      if (found === undefined) throw new Error(`expected an action of the registry tool, found "${name}"`);
      try {
        refuseOthers(found, identity);
        const result = await found.run(args, { identity, call });
        onAction(name, result.isError === true ? "error" : "ok");
        return result;
      } catch (error) {
        onAction(name, "error");
        const refused = readRefusal(error);
        if (refused === undefined) throw error;
        return renderRefused(refused);
      }
    },
  });
}

function refuseOthers({ name, role, forAgents }: RegistryAction, identity: Identity): void {
  const refusal = identity.kind === "agent" && forAgents ? undefined : requireRole(identity, role);
  if (refusal !== undefined) throw new ToolRefused("forbidden", `${name}: ${refusal.message}`);
}

// `agents_list`: what the resource `agents/list` says, for clients that read no resources.
import * as z from "zod";
import type { GatewayState } from "../../state/state.ts";
import { renderAgentList } from "../resources/agent-list.ts";
import { defineTool, renderAnswer } from "./tool.ts";

export const createAgentsList = (state: Pick<GatewayState, "listAgents">) =>
  defineTool({
    name: "agents_list",
    title: "List agents",
    description: "Lists the agents of this instance: name, title, description, and whether each is ready.",
    role: "viewer",
    annotations: { readOnlyHint: true },
    args: z.strictObject({}),
    call: async (_args, identity) => renderAnswer({ agents: renderAgentList(state, identity) }),
  });

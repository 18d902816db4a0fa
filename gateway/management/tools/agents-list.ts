// `agents_list`: what the resource `agents/list` says, for clients that read no resources.
import * as z from "zod";
import { renderAgentList, type AgentListParts } from "../resources/agent-list.ts";
import { defineTool, renderAnswer } from "./tool.ts";

export const createAgentsList = (parts: AgentListParts) =>
  defineTool({
    name: "agents_list",
    title: "List agents",
    description:
      "Lists the agents of this instance: name, title, description, model, whether each is ready, and what it does now.",
    role: "viewer",
    annotations: { readOnlyHint: true },
    args: z.strictObject({}),
    call: async (_args, identity) => renderAnswer({ agents: renderAgentList(parts, identity) }),
  });

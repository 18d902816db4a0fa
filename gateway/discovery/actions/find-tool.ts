// `find_tool` and `find_tools` (DSC-2, DSC-4): the best tool for each query, shown in the caller's list of tools unless it does not want that.
import * as z from "zod";
import { ToolRefused } from "../../management/tools/tool.ts";
import { defineAction, type ActionContext, type RegistryAction } from "../action.ts";
import type { Find } from "../finder.ts";
import { parameters } from "../parameters.ts";
import type { ShownTools } from "../shown-tools.ts";

export interface FindActionParts {
  find: Find;
  shown: Pick<ShownTools, "add">;
}

const options = {
  auto_activate: parameters.auto_activate.exactOptional(),
  limit: parameters.limit.exactOptional(),
};

interface Options {
  auto_activate?: boolean;
  limit?: number;
}

export function createFindActions({ find, shown }: FindActionParts): RegistryAction[] {
  const findOne = async (
    query: string,
    { auto_activate: isShown = true, limit }: Options,
    { identity, call }: ActionContext,
  ) => {
    if (query.trim() === "") throw new ToolRefused("invalid", "the query is empty: say what the tool should do");
    const { answer, callable } = await find({ query, identity, limit });
    if (isShown && callable !== undefined) shown.add(call, callable);
    return answer;
  };
  return [
    defineAction({
      name: "find_tool",
      summary: "the tool that fits a query, and how it is called.",
      role: "caller",
      forAgents: true,
      args: z.object({ query: parameters.query, ...options }),
      run: async ({ query, ...given }, context) => findOne(query, given, context),
    }),
    defineAction({
      name: "find_tools",
      summary: "one tool for each of several intents.",
      role: "caller",
      forAgents: true,
      args: z.object({ intents: parameters.intents, ...options }),
      run: async ({ intents, ...given }, context) => ({
        // At once: what an endpoint of embeddings is asked for them goes out together.
        results: await Promise.all(intents.map((query) => findOne(query, given, context))),
      }),
    }),
  ];
}

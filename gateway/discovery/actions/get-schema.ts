// `get_schema` (DSC-4): the whole input schema of one tool, for arguments that the summary of find_tool does not tell enough of.
import * as z from "zod";
import { renderRefused, ToolRefused } from "../../management/tools/tool.ts";
import { AsIs, defineAction } from "../action.ts";
import { howToAsk } from "../call-tool.ts";
import { addSuggestions, type Suggest } from "../did-you-mean.ts";
import { findNamed, namedTool, nameGiven, unknownTool } from "../name-tool.ts";
import type { Reach } from "../reach.ts";
import { callAsOf } from "../tool-name.ts";

export const createGetSchema = ({ reach, suggest }: { reach: Reach; suggest: Suggest }) =>
  defineAction({
    name: "get_schema",
    summary: "the full input schema of a tool.",
    role: "caller",
    forAgents: true,
    args: z.object(namedTool),
    async run(args, { identity }) {
      const given = nameGiven("get_schema", args);
      const { known, reached } = findNamed(reach, args, identity);
      if (known === undefined) {
        return new AsIs(addSuggestions(renderRefused(unknownTool(given)), suggest(given, identity)));
      }
      const { source, tool } = known;
      if (source.kind === "outline") {
        const message = `server "${source.name}" is stopped, and the schemas of its tools are known once it is started, by the action activate`;
        throw new ToolRefused("unready", message);
      }
      const [agent] = reached.agentsToAsk(known);
      return {
        call_as: callAsOf(source.name, tool.name),
        server: source.name,
        tool: tool.name,
        description: tool.description ?? tool.title ?? "",
        input_schema: tool.inputSchema,
        ...(agent !== undefined && { next_step: howToAsk(tool.name, agent) }),
      };
    },
  });

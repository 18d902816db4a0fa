// The parameters of the `registry` tool (DSC-1), each once: what an action takes is picked from here, and all of them together are the
// schema that is shown.
import * as z from "zod";

const name = (description: string) => z.string().min(1).max(1_024).meta({ description });

export const parameters = {
  query: z.string().meta({
    description:
      "[find_tool, list, browse] What the tool should do: name the service, the action and the object, for example: slack post message to channel.",
  }),
  intents: z
    .array(z.string())
    .min(1)
    .max(32)
    .meta({ description: "[find_tools] Several queries, one for each tool that is needed." }),
  auto_activate: z.boolean().meta({
    description:
      "[find_tool, find_tools] Whether the tool that was found is added to your list of tools. False: call it by proxy_call. Default true.",
  }),
  call_as: name("[get_schema, proxy_call] The tool, as find_tool named it: mcp__SERVER__TOOL."),
  server: name(
    "[get_schema, proxy_call] The tool's server, in place of call_as. [install] Name to give what is installed.",
  ),
  tool: name("[get_schema, proxy_call] The tool's name, in place of call_as."),
  arguments: z.record(z.string(), z.json()).meta({ description: "[proxy_call] Arguments for the tool." }),
  limit: z.int().min(1).max(100).meta({
    description:
      "[find_tool, find_tools, browse] The most results. Default 5 for tools, of which there are never more, and 20 for browse.",
  }),
  source: z
    .string()
    .max(64)
    .meta({ description: "[list] Only of this source. [install] Where to look the name up: a source of browse." }),
  installed_only: z.boolean().meta({ description: "[list] Only servers that are installed." }),
  name: name("[install, uninstall, activate, deactivate] Name of a server; with source, the published name."),
  command: z
    .string()
    .max(4_096)
    .meta({ description: "[install] Command that starts the server: npx, uvx or docker; or its URL." }),
  args: z.array(z.string().max(4_096)).max(64).meta({ description: "[install] Arguments of the command." }),
  env: z.record(z.string(), z.string()).meta({ description: "[install] Environment variables, none of them secret." }),
  description: z.string().max(4_096).meta({ description: "[install] What the server is for." }),
  tags: z.array(z.string().max(63)).max(32).meta({ description: "[install] Words it is found by." }),
  cursor: z.string().max(4_096).meta({ description: "[browse] next_cursor of the answer before." }),
} as const;

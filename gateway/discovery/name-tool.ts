// The tool that an action names, by `call_as`, or by `server` and `tool`. One that is not there reads like one that the caller may not call.
import * as z from "zod";
import type { Identity } from "../../lib/auth/roles.ts";
import { ToolRefused } from "../management/tools/tool.ts";
import { parameters } from "./parameters.ts";
import type { KnownTool } from "./known-tools.ts";
import type { Reach, ReachOfCaller } from "./reach.ts";
import { nameOfTool } from "./tool-name.ts";

export const namedTool = {
  call_as: parameters.call_as.exactOptional(),
  server: parameters.server.exactOptional(),
  tool: parameters.tool.exactOptional(),
};

const namedToolSchema = z.object(namedTool);
type NamedTool = z.output<typeof namedToolSchema>;

/** As it was named, for suggestions. */
export function nameGiven(action: string, { call_as: callAs, server, tool }: NamedTool): string {
  if (callAs !== undefined) return callAs;
  if (server !== undefined && tool !== undefined) return nameOfTool(server, tool);
  const missing =
    server === undefined && tool !== undefined
      ? "server"
      : tool === undefined && server !== undefined
        ? "tool"
        : "call_as";
  throw new ToolRefused(
    "invalid",
    `${action}: the parameter ${missing} is missing: give call_as as find_tool named it, or server and tool`,
  );
}

/** With what else of the caller's reach is needed. */
export function findNamed(
  reach: Reach,
  named: NamedTool,
  identity: Identity,
): { known: KnownTool | undefined; reached: ReachOfCaller } {
  const reached = reach.of(identity);
  const { call_as: callAs, server, tool } = named;
  if (callAs !== undefined) return { known: reached.read(callAs), reached };
  return { known: server === undefined || tool === undefined ? undefined : reached.find({ server, tool }), reached };
}

const maxShownChars = 200;

export const unknownTool = (name: string): ToolRefused => {
  const shown = name.length <= maxShownChars ? name : `${name.slice(0, maxShownChars)}…`;
  return new ToolRefused(
    "not_found",
    `there is no tool "${shown}", or it is not for you to call; find_tool finds those that are`,
  );
};

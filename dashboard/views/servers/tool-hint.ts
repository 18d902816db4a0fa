// What a tool says of itself, in one word: a claim of its server. That its definition changed is worth more than what it claims. Pure.
import type { ServerTool } from "../../data/servers.ts";

type ToolHint = "reads" | "deletes" | "changes" | "changed" | "none";

export function hintOf({ annotations }: Pick<ServerTool, "annotations">, isChanged: boolean): ToolHint {
  if (isChanged) return "changed";
  if (annotations?.readOnlyHint === true) return "reads";
  if (annotations?.destructiveHint === true) return "deletes";
  const saysSomething = annotations?.readOnlyHint !== undefined || annotations?.destructiveHint !== undefined;
  return saysSomething ? "changes" : "none";
}

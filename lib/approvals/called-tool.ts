// A tool as its server describes it, where somebody wants to call it: what rules read of that, and the hash that binds an approval to it. Pure.
import { createHash } from "node:crypto";
import type { JsonObjectSchema, ToolAnnotations } from "../mcp/table.ts";
import { canonicalJson } from "../policy/canonical-json.ts";
import type { Hints } from "../policy/rules.ts";
import { defined } from "../process/defined.ts";

/** What a server says of a tool. */
export interface CalledTool {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** Empty where it says nothing. */
export const readHints = ({ annotations }: Pick<CalledTool, "annotations">): Hints =>
  defined({ readOnly: annotations?.readOnlyHint, destructive: annotations?.destructiveHint });

/**
 * `sha256:` and the hash of all that people may go by who approve a call of it.
 * @throws TypeError for a definition that is no plain JSON
 */
export function hashCalledTool(name: string, tool: CalledTool): string {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { name, inputSchema, ...defined({ title, description, outputSchema, annotations }) };
  return `sha256:${createHash("sha256").update(canonicalJson(said)).digest("hex")}`;
}

/** Whether a tool is another than it was: undefined is one that is not there. */
export function isOtherTool(name: string, was: CalledTool, now: CalledTool | undefined): boolean {
  if (now === was) return false;
  return now === undefined || hashCalledTool(name, now) !== hashCalledTool(name, was);
}

// Which of a server's tools are offered: applied to its lists and to calls, so that a hidden tool is unknown.
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";

export interface ToolFilter {
  /** Whether it hides anything at all. */
  readonly isActive: boolean;
  isOffered(tool: unknown): boolean;
  /** A result of `tools/list` without those that are hidden. */
  apply(result: unknown): unknown;
}

export function createToolFilter({ allow, deny }: { allow: readonly string[]; deny: readonly string[] }): ToolFilter {
  const isOffered = (tool: unknown): boolean =>
    typeof tool === "string" &&
    (allow.length === 0 || allow.some((pattern) => matchesToolPattern(tool, pattern))) &&
    !deny.some((pattern) => matchesToolPattern(tool, pattern));
  return {
    isActive: allow.length + deny.length > 0,
    isOffered,
    apply(result) {
      if (!isJsonObject(result) || !Array.isArray(result["tools"])) return result;
      return { ...result, tools: result["tools"].filter((tool) => isJsonObject(tool) && isOffered(tool["name"])) };
    },
  };
}

export const unknownTool = (tool: unknown): string => `Unknown tool: ${String(tool).slice(0, 128)}`;

/** Results and capabilities in the form both SDKs take them. */
import type { McpTable, ToolResult } from "./table.ts";

/** The wire form of a tool result: `meta` becomes `_meta`. */
export function renderToolResult({ meta, ...result }: ToolResult) {
  return { ...result, ...(meta !== undefined && { _meta: meta }) };
}

/** What the server offers; listChanged only of lists that can change. */
export function renderCapabilities({ tools, prompts }: McpTable) {
  return {
    tools: tools.changes === undefined ? {} : { listChanged: true },
    ...(prompts.length > 0 && { prompts: {} }),
  };
}

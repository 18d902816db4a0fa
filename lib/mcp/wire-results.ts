/** Results and capabilities in the form both SDKs take them. */
import type { McpTable, ToolResult } from "./table.ts";

/** The wire form of a tool result: `meta` becomes `_meta`. */
export function renderToolResult({ meta, ...result }: ToolResult) {
  return { ...result, ...(meta !== undefined && { _meta: meta }) };
}

/** What the server offers. Lists never change while it runs, so no listChanged is promised. */
export function renderCapabilities(table: McpTable) {
  return { tools: {}, ...(table.prompts.length > 0 && { prompts: {} }) };
}

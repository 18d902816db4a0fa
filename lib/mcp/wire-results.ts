/** Results, capabilities and callers in the form both SDKs take them. */
import type { McpTable, ToolResult } from "./table.ts";

/** The wire form of a tool result: `meta` becomes `_meta`. */
export function renderToolResult({ meta, ...result }: ToolResult) {
  return { ...result, ...(meta !== undefined && { _meta: meta }) };
}

/** What the server offers. Lists never change while it runs, so no listChanged is promised. */
export function renderCapabilities(table: McpTable) {
  return { tools: {}, ...(table.prompts.length > 0 && { prompts: {} }) };
}

/** The caller in the only form that both SDKs hand on to handlers. The token stays in the request's own header. */
export function renderAuthInfo(caller: string) {
  return { token: "", clientId: caller, scopes: [] };
}

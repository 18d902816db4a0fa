// Results and capabilities in the form both SDKs take them.
import { defined } from "../process/defined.ts";
import type { McpTable, ToolResult } from "./table.ts";

/** The wire form of a tool result: `meta` becomes `_meta`. */
export function renderToolResult({ meta, ...result }: ToolResult) {
  return { ...result, ...defined({ _meta: meta }) };
}

/** What the server offers; of changes only those that can come, and that it can tell of. */
export function renderCapabilities({ tools, prompts, resources }: McpTable, canSubscribe: boolean) {
  return {
    tools: tools.changes === undefined || !canSubscribe ? {} : { listChanged: true },
    ...(prompts.length > 0 && { prompts: {} }),
    ...(resources !== undefined && { resources: canSubscribe ? { subscribe: true, listChanged: true } : {} }),
  };
}

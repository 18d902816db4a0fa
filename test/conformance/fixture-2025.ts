// What the suite wants of a 2025-era server beside a table: completion, logging, and questions to the client.
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Extra2025, McpExtension } from "../../lib/mcp/extension.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import { askUser, defaultsForm, enumsForm, type Form } from "./elicitations.ts";
import { complete, textResult } from "./fixture-table.ts";

const askingTools: Record<string, (extra: Extra2025, args: Record<string, unknown>) => Promise<ToolResult>> = {
  async test_tool_with_logging(extra) {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await sleep(50);
    }
    return textResult("Tool with logging executed successfully");
  },
  async test_reconnection(extra) {
    extra.closeSSEStream?.();
    await sleep(100);
    return textResult("The stream was closed in between.");
  },
  async test_sampling(extra, { prompt }) {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(prompt) } }];
    const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
    const { content } = await extra.sendRequest(request, CreateMessageResultSchema);
    return textResult(`LLM response: ${content.type === "text" ? content.text : content.type}`);
  },
  test_elicitation: (extra, { message }) => elicit(extra, askUser(String(message)), "User response"),
  test_elicitation_sep1034_defaults: (extra) => elicit(extra, defaultsForm, "Elicitation completed"),
  test_elicitation_sep1330_enums: (extra) => elicit(extra, enumsForm, "Elicitation completed"),
};

async function elicit(extra: Extra2025, params: Form, word: string): Promise<ToolResult> {
  const { action, content } = await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
  return textResult(`${word}: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

export const extend2025: McpExtension["extend2025"] = (server, callTool) => {
  server.registerCapabilities({ completions: {}, logging: {} });
  server.setRequestHandler(CallToolRequestSchema, async (request: CallToolRequest, extra) => {
    const asking = askingTools[request.params.name];
    if (asking === undefined) return callTool(request, extra);
    return { ...(await asking(extra, request.params.arguments ?? {})) };
  });
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => complete(params.argument.value));
};

// What an endpoint offers beyond its table, by the SDKs' own means: completion, logging, questions to the client.
// Pallas' programs ship none; the conformance fixtures do, on the same transport code.
import type { Server as Server2025 } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolRequest,
  CallToolResult as CallToolResult2025,
  ServerNotification,
  ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import type {
  CallToolRequestParams,
  CallToolResult,
  GetPromptRequestParams,
  GetPromptResult,
  InputRequiredResult,
  Server as Server2026,
  ServerContext,
} from "@modelcontextprotocol/server";

/** What the first SDK tells a handler of its request. */
export type Extra2025 = RequestHandlerExtra<ServerRequest, ServerNotification>;

interface TableHandlers2026 {
  callTool(
    request: { params: CallToolRequestParams },
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult>;
  getPrompt(request: { params: GetPromptRequestParams }, context: ServerContext): Promise<GetPromptResult>;
}

/** Both are called for each new server before it is connected. They may replace the handlers that the table gave it. */
export interface McpExtension {
  /** `callTool` answers from the table. */
  extend2025(
    server: Server2025,
    callTool: (request: CallToolRequest, extra: Extra2025) => Promise<CallToolResult2025>,
  ): void;
  extend2026(server: Server2026, fromTable: TableHandlers2026): void;
}

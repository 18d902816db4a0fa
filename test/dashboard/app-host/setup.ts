// What the server of a host of MCP Apps gives to its page.
import type {
  McpUiHostCapabilities,
  McpUiHostContext,
  McpUiResourceMeta,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult } from "@modelcontextprotocol/client";

export interface AppHostSetup {
  /** The app. */
  html: string;
  /** What the gateway says of it. */
  meta: McpUiResourceMeta;
  /** What the tool that the app belongs to gave. */
  result: CallToolResult;
  capabilities: McpUiHostCapabilities;
  context: McpUiHostContext;
  sandboxUrl: string;
}

// What an agent offers on /mcp: send_message, the same under its own name, get_health, and where it keeps conversations
// clear_history and the history prompt.
import { healthToolDescription, healthToolName, type HealthPayload } from "../../crds/health.ts";
import { mcpName } from "../../crds/names.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { JsonObjectSchema, McpTable, ToolEntry } from "../../lib/mcp/table.ts";
import type { Sessions } from "../session/sessions.ts";
import { renderOutputSchema } from "./answer.ts";
import { createClearHistory } from "./clear-history.ts";
import { createHistoryPrompt } from "./history-prompt.ts";

/** How a conversation goes on (AGT-13), for whoever reads nothing but this list: the model that a caller is. */
const conversations: Record<RunConfig["scope"], { tool: string; argument: string }> = {
  connection: {
    tool:
      'For a conversation of several messages send session_id "new" with the first one: the answer names the id ' +
      "to send with those that follow.",
    argument:
      '"new" starts a conversation, the id that an answer named continues it. Without one the message stands ' +
      "alone, unless the connection keeps a conversation.",
  },
  shared: {
    tool: "It remembers what all its callers said before.",
    argument: "Not used: all callers share one conversation.",
  },
  request: {
    tool: "Every message stands alone: say all that it needs to know.",
    argument: "Not used: every message stands alone.",
  },
};

const renderInputSchema = (scope: RunConfig["scope"]): JsonObjectSchema => ({
  type: "object",
  properties: {
    message: { type: "string", description: "The message to the agent." },
    images: {
      type: "array",
      description: "Images that belong to the message.",
      items: {
        type: "object",
        properties: {
          data: { type: "string", description: "The image, base64." },
          mime_type: { type: "string", description: "image/png, image/jpeg, image/gif or image/webp." },
        },
        required: ["data", "mime_type"],
        additionalProperties: false,
      },
    },
    attachments: {
      type: "array",
      description: "Texts and PDFs that belong to the message.",
      items: {
        type: "object",
        properties: {
          data: { type: "string", description: "The file, base64." },
          mime_type: {
            type: "string",
            description:
              "A text type in UTF-8, application/json, xml or yaml, or application/pdf where the model reads it.",
          },
          name: { type: "string", description: "What the file is called." },
        },
        required: ["data", "mime_type"],
        additionalProperties: false,
      },
    },
    session_id: { type: "string", description: conversations[scope].argument },
  },
  required: ["message"],
  additionalProperties: false,
});

/** Without `$schema`: clients compare it with the one they know (AGT-3). */
const noArguments: JsonObjectSchema = { type: "object", properties: {}, additionalProperties: false };

export interface SurfaceParts {
  config: Pick<RunConfig, "agent" | "scope" | "output">;
  sendMessage: ToolEntry["call"];
  observeHealth: () => Promise<HealthPayload>;
  sessions: Sessions;
}

/** A table whose tools are still to be put on it. */
export interface Surface extends Omit<McpTable, "tools"> {
  tools: readonly ToolEntry[];
}

/** What lib/mcp serves in both eras. */
export function renderTable({ config, sendMessage, observeHealth, sessions }: SurfaceParts): Surface {
  const { name, title, description, version } = config.agent;
  const what = description === "" ? `Send a message to ${title}.` : description;
  const inputSchema = renderInputSchema(config.scope);
  const outputSchema = renderOutputSchema(config.output?.schema);
  const messageTool = (toolName: string): ToolEntry => ({
    name: toolName,
    title,
    description: `${what}\n\n${conversations[config.scope].tool}`,
    inputSchema,
    outputSchema,
    call: sendMessage,
  });
  return {
    server: { name: mcpName(name), title, version },
    tools: [
      messageTool("send_message"),
      messageTool(mcpName(name)),
      {
        name: healthToolName,
        description: healthToolDescription,
        inputSchema: noArguments,
        call: async () => ({ content: [{ type: "text", text: JSON.stringify(await observeHealth()) }] }),
      },
      ...(config.scope === "request" ? [] : [createClearHistory(sessions)]),
    ],
    prompts: config.scope === "request" ? [] : [createHistoryPrompt(name, sessions)],
  };
}

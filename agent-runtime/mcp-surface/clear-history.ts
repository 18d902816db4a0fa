// The tool clear_history (AGT-14): the conversation that its caller may use is forgotten, with its images and summaries, and goes
// on empty under the same name. It waits for the calls on the conversation; it never touches another one.
import * as z from "zod";
import { clearHistoryToolName } from "../../crds/names.ts";
import type { ToolEntry, ToolResult } from "../../lib/mcp/table.ts";
import { CallError } from "../call-error.ts";
import type { Sessions } from "../session/sessions.ts";

const argumentsSchema = z.object({ session_id: z.string().optional() });

/** For scopes that keep conversations. */
export function createClearHistory(sessions: Sessions): ToolEntry {
  return {
    name: clearHistoryToolName,
    title: "Clear history",
    description: "Deletes the conversation with this agent, for good. Its session_id stays valid, and starts empty.",
    inputSchema: {
      type: "object",
      properties: {
        session_id: {
          type: "string",
          description: "The conversation, as named by send_message; default: this connection's.",
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async call(args, { sessionId: connectionId, caller, signal }) {
      const { session_id: sessionId } = argumentsSchema.parse(args);
      try {
        return renderText(renderCleared(await sessions.clear({ sessionId, connectionId, caller }, signal)));
      } catch (error) {
        if (signal.aborted) return { ...renderText("The call was cancelled; nothing was cleared."), isError: true };
        if (error instanceof CallError) return { ...renderText(error.message), isError: true };
        throw error;
      }
    },
  };
}

const renderText = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

function renderCleared(messages: number): string {
  if (messages === 0) return "There was nothing to clear: the conversation is empty.";
  return `Cleared the conversation: ${messages} ${messages === 1 ? "message is" : "messages are"} deleted, those of tools included.`;
}

// The prompt `{agent}_history` (AGT-4): the stored conversation as MCP messages, images included. What passed between the
// model and its tools is not part of the conversation.
import { historyPromptName } from "../../crds/names.ts";
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { PromptEntry, PromptMessage } from "../../lib/mcp/table.ts";
import { CallFault } from "../call-fault.ts";
import type { ModelMessage } from "../model/types.ts";
import { UnknownSession, type Sessions } from "../session/sessions.ts";

/** The history prompt of `agent`, for scopes that keep one. */
export function createHistoryPrompt(agent: string, sessions: Sessions): PromptEntry {
  return {
    name: historyPromptName(agent),
    description: "The stored conversation with this agent.",
    arguments: [
      { name: "session_id", description: "The conversation, as returned by send_message; default: this connection's." },
    ],
    async get({ session_id: sessionId }, { sessionId: connectionId, caller }) {
      try {
        const messages = await sessions.read({ sessionId, connectionId, caller });
        return { messages: messages.flatMap(renderPromptMessages) };
      } catch (error) {
        if (!(error instanceof CallFault)) throw error;
        const code = error instanceof UnknownSession ? rpcCodes.invalidParams : rpcCodes.internalError;
        throw new JsonRpcError(code, error.message, { cause: error });
      }
    },
  };
}

function renderPromptMessages(message: ModelMessage): PromptMessage[] {
  if (message.role === "user") return message.content.map((content) => ({ role: "user", content }));
  if (message.role === "tool" || message.text === "") return [];
  return [{ role: "assistant", content: { type: "text", text: message.text } }];
}

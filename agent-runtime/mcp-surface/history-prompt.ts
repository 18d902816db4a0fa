// The prompt `{agent}_history` (AGT-4): the stored conversation as MCP messages, images included, page by page from its end, so
// that neither a client nor this process has to hold a long one whole. What passed between the model and its tools is not part
// of the conversation.
import { historyPromptName } from "../../crds/names.ts";
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type { Content, PromptEntry, PromptMessage } from "../../lib/mcp/table.ts";
import { CallError } from "../call-error.ts";
import { pdfType } from "../model/pdf.ts";
import type { ModelMessage, UserPart } from "../model/types.ts";
import { UnknownSession, type Sessions } from "../session/sessions.ts";

const messagesDefault = 50;
export const maxMessages = 500;
/** Of a page, as it is kept; what comes of it is in memory several times while it is sent. */
export const pageBytes = 8 * 1024 * 1024;

/** The history prompt of `agent`, for scopes that keep one. */
export function createHistoryPrompt(agent: string, sessions: Sessions): PromptEntry {
  return {
    name: historyPromptName(agent),
    description: "The stored conversation with this agent, from its end.",
    arguments: [
      { name: "session_id", description: "The conversation, as returned by send_message; default: this connection's." },
      { name: "limit", description: `How many messages at most, 1 to ${maxMessages}; default ${messagesDefault}.` },
      {
        name: "before",
        description: "Only what came before the message of this number, as the page after it names it; default: all.",
      },
    ],
    async get({ session_id: sessionId, limit, before }, { sessionId: connectionId, caller }) {
      const request = {
        messages: parseCount("limit", limit, maxMessages) ?? messagesDefault,
        before: parseCount("before", before, Number.MAX_SAFE_INTEGER),
        bytes: pageBytes,
      };
      try {
        const { messages, first } = await sessions.readPage({ sessionId, connectionId, caller }, request);
        return { messages: [...renderEarlier(first), ...messages.flatMap(renderPromptMessages)] };
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        const code = error instanceof UnknownSession ? rpcCodes.invalidParams : rpcCodes.internalError;
        throw new JsonRpcError(code, error.message, { cause: error });
      }
    },
  };
}

function parseCount(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  const found = text.slice(0, 100);
  throw new JsonRpcError(rpcCodes.invalidParams, `${name}: expected a number from 1 to ${max}, found "${found}"`);
}

function renderEarlier(first: number): PromptMessage[] {
  if (first === 0) return [];
  const text = `[The conversation began earlier: ask for this prompt with before: "${first}" to read what came before.]`;
  return [{ role: "user", content: { type: "text", text } }];
}

function renderPromptMessages(message: ModelMessage): PromptMessage[] {
  if (message.role === "user") return message.content.map((part) => ({ role: "user", content: renderPart(part) }));
  if (message.role === "tool" || message.text === "") return [];
  return [{ role: "assistant", content: { type: "text", text: message.text } }];
}

/** MCP has no PDF but one that a resource is; its name stands in the text before it. */
function renderPart(part: UserPart): Content {
  if (part.type === "text" || part.mimeType !== pdfType) return part;
  return { type: "resource", resource: { uri: "attachment:///attachment.pdf", mimeType: pdfType, blob: part.data } };
}

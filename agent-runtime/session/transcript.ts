// Pure rules over a conversation's messages: how they are put together for a model, and how a history that was cut off
// in the middle is made whole. It stores nothing.
import type { ModelMessage, ToolCallRequest, ToolResultPart } from "../model/types.ts";

const interruptedText = "The call was interrupted before this tool answered; it may or may not have had an effect.";

/**
 * What a model is shown: results that were recorded one by one become one message in the order of their calls, and user
 * messages without an answer between them become one, since some models insist on taking turns.
 */
export function renderForModel(messages: readonly ModelMessage[]): ModelMessage[] {
  const shown: ModelMessage[] = [];
  let callOrder: readonly string[] = [];
  for (const message of messages) {
    const last = shown.at(-1);
    if (message.role === "assistant") {
      callOrder = message.toolCalls.map((call) => call.id);
      shown.push(message);
    } else if (message.role === "user") {
      if (last?.role === "user")
        shown[shown.length - 1] = { role: "user", content: [...last.content, ...message.content] };
      else shown.push(message);
    } else if (last?.role === "tool") {
      const results = [...last.results, ...message.results];
      shown[shown.length - 1] = { role: "tool", results: sortByCall(results, callOrder) };
    } else {
      shown.push(message);
    }
  }
  return shown;
}

const sortByCall = (results: readonly ToolResultPart[], callOrder: readonly string[]) =>
  results.toSorted((a, b) => callOrder.indexOf(a.callId) - callOrder.indexOf(b.callId));

/** The results that close a history whose last tool calls were never answered; undefined when it is whole. */
export function renderInterrupted(messages: readonly ModelMessage[]): ModelMessage | undefined {
  const results = findUnanswered(messages).map((call) => ({
    callId: call.id,
    name: call.name,
    text: interruptedText,
    images: [],
    isError: true,
  }));
  return results.length === 0 ? undefined : { role: "tool", results };
}

/** Only the last assistant message can have open calls: nothing is appended after it before they are closed. */
function findUnanswered(messages: readonly ModelMessage[]): ToolCallRequest[] {
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const assistant = messages[at];
  if (assistant?.role !== "assistant") return [];
  const answered = new Set<string>();
  for (const message of messages.slice(at + 1)) {
    if (message.role === "tool") for (const result of message.results) answered.add(result.callId);
  }
  return assistant.toolCalls.filter((call) => !answered.has(call.id));
}

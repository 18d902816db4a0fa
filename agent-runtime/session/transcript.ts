// Pure rules over the entries of a history: what a model is shown of it, and how a history that was cut off in the middle is
// made whole. A summary changes what is shown and nothing of what was said. It stores nothing.
import type { AssistantMessage, ModelMessage, ToolResultPart } from "../model/types.ts";

/** To a model, `text` stands for the first `covers` messages. */
export interface SummaryEntry {
  role: "summary";
  covers: number;
  text: string;
}

interface AnswerEntry extends AssistantMessage {
  /** Tokens of all the model was shown, and of this answer, as its provider counted them. */
  contextTokens?: number;
}

/** What is kept of a conversation, in the order in which it happened. */
export type HistoryEntry = Exclude<ModelMessage, AssistantMessage> | AnswerEntry | SummaryEntry;

const interruptedText = "The call was interrupted before this tool answered; it may or may not have had an effect.";
const summaryIntroduction = "Summary of the conversation so far, which is no longer shown in full:";

/** What was said: everything but summaries. */
export const listMessages = (entries: readonly HistoryEntry[]): ModelMessage[] =>
  entries.filter((entry) => entry.role !== "summary");

/** The summary that counts: the last one that fits what was said before it. None that would part a call from its results fits. */
export function findSummary(entries: readonly HistoryEntry[]): SummaryEntry | undefined {
  const messages: ModelMessage[] = [];
  let found: SummaryEntry | undefined;
  for (const entry of entries) {
    if (entry.role !== "summary") messages.push(entry);
    else if (isCut(messages, entry.covers)) found = entry;
  }
  return found;
}

const isCut = (messages: readonly ModelMessage[], at: number) =>
  at > 0 && messages[at] !== undefined && messages[at].role !== "tool";

/** What a model is shown: the last summary, where there is one, and all that it does not cover. */
export function renderForModel(entries: readonly HistoryEntry[]): ModelMessage[] {
  const messages = listMessages(entries);
  const summary = findSummary(entries);
  return joinMessages(summary === undefined ? messages : condense(messages, summary));
}

/** A summary in place of the first messages. A turn that is cut in its middle keeps the question that began it. */
export function condense(
  messages: readonly ModelMessage[],
  { covers, text }: Pick<SummaryEntry, "covers" | "text">,
): ModelMessage[] {
  const rest = messages.slice(covers);
  const lastUser = messages.findLastIndex(({ role }, index) => role === "user" && index < covers);
  const firstUser = messages.findLastIndex(({ role }, index) => role !== "user" && index < lastUser) + 1;
  const question = rest[0]?.role === "user" ? [] : messages.slice(firstUser, lastUser + 1);
  return [
    { role: "user", content: [{ type: "text", text: `${summaryIntroduction}\n\n${text}` }] },
    ...question,
    ...rest,
  ];
}

/**
 * Results that were recorded one by one become one message in the order of their calls. User messages without an answer
 * between them become one, since some models insist on taking turns; and an answer without a word is none.
 */
function joinMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const shown: ModelMessage[] = [];
  for (const message of messages) {
    const last = shown.at(-1);
    if (message.role === "user") {
      if (last?.role === "user") last.content.push(...message.content);
      else shown.push({ role: "user", content: [...message.content] });
    } else if (message.role === "tool") {
      if (last?.role === "tool") last.results.push(...message.results);
      else shown.push({ role: "tool", results: [...message.results] });
    } else if (message.text.trim() !== "" || message.toolCalls.length > 0 || message.opaque !== undefined) {
      shown.push(message.text.trim() === "" ? { ...message, text: "" } : message);
    }
  }
  return shown.map((message, index) =>
    message.role === "tool" ? { role: "tool", results: sortByCall(message.results, shown[index - 1]) } : message,
  );
}

function sortByCall(results: readonly ToolResultPart[], asked: ModelMessage | undefined): ToolResultPart[] {
  const calls = asked?.role === "assistant" ? asked.toolCalls : [];
  const order = new Map(calls.map(({ id }, index) => [id, index]));
  return results.toSorted((a, b) => (order.get(a.callId) ?? -1) - (order.get(b.callId) ?? -1));
}

/** The results that close a history whose last tool calls were never answered; undefined when it is whole. */
export function renderInterrupted(entries: readonly HistoryEntry[]): ModelMessage | undefined {
  const results = findUnanswered(entries).map((call) => ({
    callId: call.id,
    name: call.name,
    text: interruptedText,
    images: [],
    isError: true,
  }));
  return results.length === 0 ? undefined : { role: "tool", results };
}

/** Only the last assistant message can have open calls: nothing is appended after it before they are closed. */
function findUnanswered(entries: readonly HistoryEntry[]): AssistantMessage["toolCalls"] {
  const at = entries.findLastIndex((entry) => entry.role === "assistant");
  const assistant = entries[at];
  if (assistant?.role !== "assistant") return [];
  const answered = new Set<string>();
  for (const entry of entries.slice(at + 1)) {
    if (entry.role === "tool") for (const result of entry.results) answered.add(result.callId);
  }
  return assistant.toolCalls.filter((call) => !answered.has(call.id));
}

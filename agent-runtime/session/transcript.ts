// Pure rules over the entries of a history: what a model is shown of it, and how a history that was cut off in the middle is
// made whole. A summary changes what is shown and nothing of what was said; what is withdrawn was never said. It stores nothing.
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, ImageData, ModelMessage, ToolResultPart, UserPart } from "../model/types.ts";

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

/** The last `messages` messages before it are taken back: a provider refused them, and would again (AGT-14). */
export interface WithdrawnEntry {
  role: "withdrawn";
  messages: number;
  reason: string;
}

interface UserEntry<Image> {
  role: "user";
  content: ({ type: "text"; text: string } | ({ type: "image" } & Image))[];
}

interface ToolEntry<Image> {
  role: "tool";
  results: (Omit<ToolResultPart, "images"> & { images: Image[] })[];
}

/** An entry whose images are at hand in this form. */
export type EntryOf<Image> = UserEntry<Image> | AnswerEntry | ToolEntry<Image> | SummaryEntry;

/** What a conversation consists of, in the order in which it happened. */
export type HistoryEntry = EntryOf<ImageData>;

/** All that the rules on summaries need to know of an entry: files are judged by it without being read whole. */
export type EntryKind = { role: "user" | "assistant" | "tool" } | { role: "summary"; covers: number };

const interruptedText = "The call was interrupted before this tool answered; it may or may not have had an effect.";
const summaryIntroduction = "Summary of the conversation so far, which is no longer shown in full:";

const isSummary = <Entry extends EntryKind>(entry: Entry): entry is Extract<Entry, { role: "summary" }> =>
  entry.role === "summary";
const isMessage = <Entry extends EntryKind>(entry: Entry): entry is Exclude<Entry, { role: "summary" }> =>
  entry.role !== "summary";

/** What was said: everything but summaries. */
export const listMessages = <Entry extends EntryKind>(
  entries: readonly Entry[],
): Exclude<Entry, { role: "summary" }>[] => entries.filter(isMessage);

/** The summary that counts: the last one that fits what was said before it. None that would part a call from its results fits. */
export function findSummary<Entry extends EntryKind>(
  entries: readonly Entry[],
): Extract<Entry, { role: "summary" }> | undefined {
  const messages: EntryKind[] = [];
  let found: Extract<Entry, { role: "summary" }> | undefined;
  for (const entry of entries) {
    if (!isSummary(entry)) messages.push(entry);
    else if (isCut(messages, entry.covers)) found = entry;
  }
  return found;
}

const isCut = (messages: readonly EntryKind[], at: number) =>
  at > 0 && messages[at] !== undefined && messages[at].role !== "tool";

/** Takes the last `count` messages out of `entries`. A summary that stands for any of them fits no more, wherever it is. */
export function withdraw(entries: EntryKind[], count: number): void {
  let at = entries.length;
  for (let found = 0; at > 0 && found < count; at -= 1) if (entries[at - 1]?.role !== "summary") found += 1;
  entries.splice(at, entries.length, ...entries.slice(at).filter(isSummary));
}

/** The first message that a model is shown any of: the last that is covered, or the question that a cut turn keeps. */
export function findFirstShown(entries: readonly EntryKind[]): number {
  const summary = findSummary(entries);
  if (summary === undefined) return 0;
  return Math.min(summary.covers - 1, findQuestion(listMessages(entries), summary.covers).start);
}

/** The user messages that began the turn which a summary of the first `covers` messages cuts; none where it cuts between turns. */
function findQuestion(messages: readonly EntryKind[], covers: number): { start: number; end: number } {
  if (messages[covers]?.role === "user") return { start: covers, end: covers };
  const lastUser = messages.findLastIndex(({ role }, index) => role === "user" && index < covers);
  if (lastUser === -1) return { start: covers, end: covers };
  const start = messages.findLastIndex(({ role }, index) => role !== "user" && index < lastUser) + 1;
  return { start, end: lastUser + 1 };
}

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
  const question = findQuestion(messages, covers);
  return [
    { role: "user", content: [{ type: "text", text: `${summaryIntroduction}\n\n${text}` }] },
    ...messages.slice(question.start, question.end),
    ...messages.slice(covers),
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

/**
 * Whether a message is there already as the last one, and no answer followed it: a caller who repeats a call that failed means
 * the same message, and is answered on from what was done for it.
 */
export function isRepeated(entries: readonly HistoryEntry[], content: readonly UserPart[]): boolean {
  const messages = listMessages(entries);
  const at = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[at];
  const isAnswered = messages
    .slice(at)
    .some((message) => message.role === "assistant" && message.toolCalls.length === 0 && message.text.trim() !== "");
  return last?.role === "user" && !isAnswered && isDeepStrictEqual(last.content, content);
}

// How many tokens a model is about to read: what its provider counted last, and an estimate of what came since. Pure.
import type { ModelMessage, TokenUsage, TurnRequest, TurnResult } from "../model/types.ts";
import { renderForModel, type HistoryEntry } from "../session/transcript.ts";
import { sumTokens } from "./budget.ts";

/** Of UTF-8: near the truth for prose in any script, a little low for code and numbers. */
export const bytesPerToken = 4;
/** What vendors charge for a large image. */
const imageTokens = 1_600;

/** What goes to the model beside the conversation. */
export type Prelude = Pick<TurnRequest, "system" | "tools">;

const estimateText = (text: string) => Buffer.byteLength(text) / bytesPerToken;
const estimateJson = (value: unknown) => estimateText(JSON.stringify(value) ?? "");

export const estimatePrelude = ({ system, tools }: Prelude): number => estimateText(system) + estimateJson(tools);

export const estimateTokens = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

function estimateMessage(message: ModelMessage): number {
  if (message.role === "assistant") {
    const { text, toolCalls, opaque } = message;
    return opaque === undefined ? estimateText(text) + estimateJson(toolCalls) : estimateJson(opaque);
  }
  if (message.role === "tool") {
    return message.results.reduce((sum, { text, images }) => sum + estimateText(text) + images.length * imageTokens, 0);
  }
  return message.content.reduce((sum, part) => sum + (part.type === "text" ? estimateText(part.text) : imageTokens), 0);
}

/** Tokens of the next turn's request. A count from before the last summary is of another context. */
export function measureContext(entries: readonly HistoryEntry[], prelude: Prelude): number {
  const at = entries.findLastIndex(
    (entry) => entry.role === "summary" || (entry.role === "assistant" && entry.contextTokens !== undefined),
  );
  const counted = entries[at];
  if (counted?.role === "assistant" && counted.contextTokens !== undefined) {
    return counted.contextTokens + estimateTokens(renderForModel(entries.slice(at + 1)));
  }
  return estimatePrelude(prelude) + estimateTokens(renderForModel(entries));
}

/** A turn's usage; an estimate where its provider tells none, so that no budget goes uncounted. */
export function observeUsage(
  { system, tools, messages }: Prelude & Pick<TurnRequest, "messages">,
  turn: Pick<TurnResult, "text" | "toolCalls" | "usage">,
): TokenUsage {
  if (sumTokens(turn.usage) > 0) return turn.usage;
  const input = estimatePrelude({ system, tools }) + estimateTokens(messages);
  const output = estimateText(turn.text) + estimateJson(turn.toolCalls);
  return { input: Math.ceil(input), output: Math.ceil(output) };
}

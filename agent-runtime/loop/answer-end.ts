// Why an answer ends where it does: in the word that programs read (AGT-13), and in the sentence that an answer which is not
// whole ends with, since most callers show nothing but text. What is stored of the answer is without that sentence.
// A bound of the call is no failure: the model is told of it in place of its tools' results, and answers with what it knows.
import type { ModelMessage, StopReason, ToolCallRequest, TurnResult } from "../model/types.ts";
import type { BoundName, BudgetReached } from "./budget.ts";

/** `stop_reason` of a result. */
export type AnswerEnd = "end" | "length" | "content_filter" | "other" | BoundName;

const ends: Record<StopReason, AnswerEnd> = {
  end: "end",
  length: "length",
  "content-filter": "content_filter",
  // A model that names tools and calls none has no more to say.
  "tool-calls": "other",
  other: "other",
};

/** The last turn of a call, and the bound that made it the last one. */
export interface Ended {
  turn: TurnResult;
  reached?: BudgetReached;
}

export const findAnswerEnd = ({ turn, reached }: Ended): AnswerEnd => reached?.bound ?? ends[turn.stopReason];

/** What an answer that is not whole ends with. */
export function renderEndNotes({ turn, reached }: Ended): string[] {
  const { output = 0 } = turn.usage;
  const notes: string[] = [];
  if (turn.stopReason === "length") {
    notes.push(`[The answer is cut: the model reached its limit${output > 0 ? ` after ${output} tokens` : ""}.]`);
  }
  if (turn.stopReason === "content-filter") {
    notes.push("[The answer is cut: the content filter of the model's provider stopped it.]");
  }
  if (reached !== undefined) {
    const cure = `raise ${reached.field} of the agent, or ask for less in one message`;
    notes.push(`[The call reached its limit of ${reached.amount}: this is what was known by then. For more, ${cure}.]`);
  }
  return notes;
}

/**
 * The answers to tool calls that a bound forbids. The tools themselves stay offered: some providers refuse a conversation
 * with calls in it and no tools beside it, and without them nothing of it would be cached.
 */
export const renderForbidden = (calls: readonly ToolCallRequest[], { amount }: BudgetReached): ModelMessage => ({
  role: "tool",
  results: calls.map(({ id, name }) => ({
    callId: id,
    name,
    text:
      `Not called: this call of the agent has reached its limit of ${amount}. ` +
      "No tool can be called any more. Answer now with what you know, and say what is missing.",
    images: [],
    isError: true,
  })),
});

// Why an answer ends where it does: in the word that programs read (AGT-13), and in the sentence that an answer which is not
// whole ends with, since most callers show nothing but text. What is stored of the answer is without that sentence.
import type { StopReason, TurnResult } from "../model/types.ts";

/** `stop_reason` of a result. */
export type AnswerEnd = "end" | "length" | "content_filter" | "other";

const ends: Record<StopReason, AnswerEnd> = {
  end: "end",
  length: "length",
  "content-filter": "content_filter",
  // A model that names tools and calls none has no more to say.
  "tool-calls": "other",
  other: "other",
};

export const findAnswerEnd = ({ stopReason }: Pick<TurnResult, "stopReason">): AnswerEnd => ends[stopReason];

/** What is missing of an answer that `last` ended; undefined when it is whole. */
export function renderCutNote(last: Pick<TurnResult, "stopReason" | "usage">): string | undefined {
  const { output = 0 } = last.usage;
  switch (findAnswerEnd(last)) {
    case "length":
      return `[The answer is cut: the model reached its limit${output > 0 ? ` after ${output} tokens` : ""}.]`;
    case "content_filter":
      return "[The answer is cut: the content filter of the model's provider stopped it.]";
    default:
      return undefined;
  }
}

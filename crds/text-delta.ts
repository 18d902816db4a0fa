// What an agent and a caller that shows answers as they are written say to each other, in `_meta` of the call and of its
// progress notifications.
import * as z from "zod";

/** `true` under it in the `_meta` of a call, beside a progress token, asks for deltas. */
export const textDeltasMetaKey = "ca.helu.pallas/text_deltas";
/** Under it a progress notification has one. */
export const textDeltaMetaKey = "ca.helu.pallas/text_delta";

export const textDeltaSchema = z.object({
  /** The step that the text is of, as in the lines of progress; the texts of several are parted by a blank line in the answer. */
  step: z.number(),
  /** Goes on after the text before it. */
  text: z.string(),
  /** The step's text begins here; what was shown of the same step before is void: the model was asked again. */
  start: z.boolean().exactOptional(),
  /** Some text before this one was left out. */
  gap: z.boolean().exactOptional(),
});
export type TextDelta = z.output<typeof textDeltaSchema>;

// How a caller's message enters a conversation: once, also when the call is repeated after it failed, and with what the history
// still holds that the model's provider would refuse left out of what it is shown.
import { findImageProblem, type ImageLimits } from "../image-data.ts";
import { pdfType } from "../model/pdf.ts";
import type { UserPart } from "../model/types.ts";
import type { OpenHistory } from "../session/open-history.ts";
import { isRepeated } from "../session/transcript.ts";
import { toWellFormed } from "../session/well-formed.ts";

/** Rejects like `append`. */
export async function recordMessage(
  history: OpenHistory,
  content: UserPart[],
  limits: ImageLimits | undefined,
): Promise<void> {
  const formed = toWellFormed(content);
  if (!isRepeated(history.entries, formed)) await history.append({ role: "user", content: formed });
  history.leaveOutImages((image) => (image.mimeType === pdfType ? undefined : findImageProblem(image, limits)));
}

// The images of a conversation as one model's provider takes them: what another model took before, this one may refuse, and would
// refuse with it the whole request. The newest stay; each that is left out becomes a text in its place. Pure.
import { findImageRefusal, longerSide, type ImageLimits } from "../image-data.ts";
import { renderLeftOut, replaceImages } from "../session/entry-images.ts";
import { listMessages } from "../session/transcript.ts";
import { pdfType } from "./pdf.ts";
import type { ImageData, ModelMessage } from "./types.ts";

export interface ImageFit {
  /** Undefined where nothing is known of them. */
  limits: ImageLimits | undefined;
  /** In one request. */
  maxImages: number;
}

/** The very messages where nothing has to go. */
export function fitImages(messages: readonly ModelMessage[], fit: ImageFit): readonly ModelMessage[] {
  const verdicts = judgeImages(messages, fit);
  if (verdicts.every((why) => why === undefined)) return messages;
  let at = 0;
  // By its place, not by itself: an image that was sent twice may be one object.
  const judge = (image: ImageData) => {
    const why = isImage(image) ? verdicts[at++] : undefined;
    return why === undefined ? image : renderLeftOut(why);
  };
  return listMessages(messages.map((message) => replaceImages<ImageData, ImageData>(message, judge)));
}

/** Why each image is left out, in their order; undefined for one that stays. */
function judgeImages(messages: readonly ModelMessage[], { limits, maxImages }: ImageFit): (string | undefined)[] {
  const { maxBetweenAnswers = Infinity, many } = limits ?? {};
  const judged: { image: ImageData; why: string | undefined }[] = [];
  let kept = 0;
  let sinceAnswer = 0;
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") sinceAnswer = 0;
    for (const image of listImages(message).toReversed()) {
      const refusal = limits && findImageRefusal(image, limits);
      const excess = findExcess(kept, maxImages) ?? findExcess(sinceAnswer, maxBetweenAnswers);
      const why = refusal === undefined ? excess : `it ${refusal}`;
      judged.push({ image, why });
      if (why !== undefined) continue;
      kept += 1;
      sinceAnswer += 1;
    }
  }
  judged.reverse();
  if (many === undefined || kept <= many.above) return judged.map(({ why }) => why);
  const tooLarge = `beside more than ${many.above} images the model's provider takes sides of ${many.maxPixels} pixels at most`;
  return judged.map(({ image, why }) => why ?? (longerSide(image) > many.maxPixels ? tooLarge : undefined));
}

const findExcess = (count: number, max: number) =>
  count < max ? undefined : `the model's provider takes at most ${max} of them, the newest first`;

function listImages(message: ModelMessage): ImageData[] {
  if (message.role === "tool") return message.results.flatMap(({ images }) => images.filter(isImage));
  if (message.role === "assistant") return [];
  return message.content.flatMap((part) => (part.type === "image" && isImage(part) ? [part] : []));
}

/** PDFs travel as images do. */
const isImage = ({ mimeType }: ImageData) => mimeType !== pdfType;

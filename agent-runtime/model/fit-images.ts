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
  imagesMax: number;
}

/** The very messages where nothing has to go. */
export function fitImages(messages: readonly ModelMessage[], fit: ImageFit): readonly ModelMessage[] {
  const leftOut = findLeftOut(messages, fit);
  if (leftOut.size === 0) return messages;
  const judge = (image: ImageData) => {
    const why = leftOut.get(image);
    return why === undefined ? image : renderLeftOut(why);
  };
  return listMessages(messages.map((message) => replaceImages<ImageData, ImageData>(message, judge)));
}

/** By the image itself: the same one may stand in two places. */
function findLeftOut(messages: readonly ModelMessage[], { limits, imagesMax }: ImageFit): Map<ImageData, string> {
  const leftOut = new Map<ImageData, string>();
  const { betweenAnswersMax = Infinity, many } = limits ?? {};
  const kept: ImageData[] = [];
  let sinceAnswer = 0;
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") sinceAnswer = 0;
    for (const image of listImages(message).toReversed()) {
      const refusal = limits && findImageRefusal(image, limits);
      const why =
        refusal === undefined
          ? (findExcess(kept.length, imagesMax) ?? findExcess(sinceAnswer, betweenAnswersMax))
          : `it ${refusal}`;
      if (why !== undefined) {
        leftOut.set(image, why);
        continue;
      }
      kept.push(image);
      sinceAnswer += 1;
    }
  }
  if (many === undefined || kept.length <= many.above) return leftOut;
  const why = `beside more than ${many.above} images the model's provider takes sides of ${many.pixelsMax} pixels at most`;
  for (const image of kept) if (longerSide(image) > many.pixelsMax) leftOut.set(image, why);
  return leftOut;
}

const findExcess = (count: number, max: number) =>
  count < max ? undefined : `the model's provider takes ${max} images at most, and newer ones come first`;

function listImages(message: ModelMessage): ImageData[] {
  if (message.role === "tool") return message.results.flatMap(({ images }) => images);
  if (message.role === "assistant") return [];
  return message.content.flatMap((part) => (part.type === "image" && part.mimeType !== pdfType ? [part] : []));
}

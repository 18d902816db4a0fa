// The images of a send_message call, checked before any of them reaches a model (AGT-2). Each problem names the image and the rule.
import { CallerError } from "../call-error.ts";
import { findImageProblem, type ImageLimits } from "../image-data.ts";
import type { ImageData } from "../model/types.ts";
import { maxShownImageChars } from "../session/entry-images.ts";

/** Something in the call's arguments cannot be used; the message is for the caller. */
export class InputError extends CallerError {
  override readonly name = "InputError";
}

export interface WrittenImage {
  data: string;
  mime_type: string;
}

export interface Seer {
  /** The model's reference. */
  ref: string;
  vision: boolean;
  /** What its provider refuses of images, where that is known. */
  imageLimits: ImageLimits | undefined;
}

/** The images as the model layer takes them. Throws InputError. */
export function parseImages(images: readonly WrittenImage[], model: Seer): ImageData[] {
  if (images.length > 0 && !model.vision) {
    throw new InputError(
      `${model.ref} is declared without vision: send text only, or declare modelCapabilities.vision`,
    );
  }
  const chars = images.reduce((sum, { data }) => sum + data.length, 0);
  if (images.length > 1 && chars > maxShownImageChars) {
    throw new InputError(
      `the images have ${chars} bytes as base64 together, expected at most ${maxShownImageChars} (20 MiB): send them in several messages`,
    );
  }
  return images.map((image, index) => parseImage(image, `image ${index + 1}`, model.imageLimits));
}

function parseImage(
  { data, mime_type: mimeType }: WrittenImage,
  which: string,
  limits: ImageLimits | undefined,
): ImageData {
  const problem = findImageProblem({ data, mimeType }, limits);
  if (problem !== undefined) throw new InputError(`${which} ${problem}`);
  return { data, mimeType };
}

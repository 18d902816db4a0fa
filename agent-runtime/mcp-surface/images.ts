// The images of a send_message call, checked before any of them reaches a model (AGT-2). Each fault names the image and the rule.
import { CallFault } from "../call-fault.ts";
import type { ImageData } from "../model/types.ts";

const acceptedTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const imageBytesMax = 10 * 1024 * 1024;

/** Something in the call's arguments cannot be used; the message is for the caller. */
export class InputFault extends CallFault {
  override readonly name = "InputFault";
}

export interface WrittenImage {
  data: string;
  mime_type: string;
}

/** The images as the model layer takes them. Throws InputFault. */
export function parseImages(images: readonly WrittenImage[], model: { ref: string; vision: boolean }): ImageData[] {
  if (images.length > 0 && !model.vision) {
    throw new InputFault(
      `${model.ref} is declared without vision: send text only, or declare modelCapabilities.vision`,
    );
  }
  return images.map((image, index) => parseImage(image, `image ${index + 1}`));
}

function parseImage({ data, mime_type: mimeType }: WrittenImage, which: string): ImageData {
  if (!acceptedTypes.includes(mimeType)) {
    const found = mimeType.slice(0, 100);
    throw new InputFault(`${which} has the type "${found}", expected one of ${acceptedTypes.join(", ")}`);
  }
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    throw new InputFault(
      `${which} is not valid base64: send the bare data, padded, without a data: prefix or line breaks`,
    );
  }
  const bytes = (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
  if (bytes > imageBytesMax) {
    throw new InputFault(`${which} has ${bytes} bytes, expected at most ${imageBytesMax} (10 MiB): send a smaller one`);
  }
  return { data, mimeType };
}

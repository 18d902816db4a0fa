// What an image must be before it may reach a model, whoever sent it: a provider refuses the whole turn for one bad image,
// and every later turn of a history that holds it.
import type { ImageData } from "./model/types.ts";

const acceptedTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const imageBytesMax = 10 * 1024 * 1024;

/** What is wrong with an image, as the end of a sentence that begins with its name, and the cure; undefined when nothing is. */
export function findImageFault({ data, mimeType }: ImageData): string | undefined {
  if (!acceptedTypes.includes(mimeType)) {
    return `has the type "${mimeType.slice(0, 100)}", expected one of ${acceptedTypes.join(", ")}`;
  }
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    return "is not valid base64: send the bare data, padded, without a data: prefix or line breaks";
  }
  const bytes = (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
  return bytes > imageBytesMax
    ? `has ${bytes} bytes, expected at most ${imageBytesMax} (10 MiB): send a smaller one`
    : undefined;
}

// Images as OpenAI reads them, in chat completions and in responses.
import { decodeBase64, readDataUrl, readPicture } from "./images.ts";
import type { Fault } from "./rule.ts";

/** A data URL that is no image, or none of the four formats; other addresses are fetched by the vendor. */
export function findImageFault(url: string, param: string): Fault | undefined {
  if (!url.startsWith("data:")) return undefined;
  const { mediaType, data } = readDataUrl(url) ?? { mediaType: "", data: "" };
  const bytes = decodeBase64(data);
  if (bytes === undefined) {
    return {
      message: "The image data you provided does not represent a valid image. Please check your input and try again.",
      param,
      code: "invalid_value",
    };
  }
  if (/^image\/(png|jpeg|jpg|gif|webp)$/.test(mediaType) && readPicture(bytes) !== undefined) return undefined;
  return {
    message:
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    param,
    code: "invalid_image_format",
  };
}

// Pictures that go with a message: four types, at most four, scaled to 2,048 pixels in the page, which spares the model's tokens, and then at
// most 8 MB together, which spares the gateway's body limit.
import { chatWords as words } from "../../../words/chat.ts";
import type { DraftImage } from "./open-chat.ts";

export const maxPictures = 4;
/** Of one message, as they are sent. */
export const maxPictureBytes = 8 * 1024 * 1024;
/** Of a file, before it is scaled. */
export const maxFileBytes = 64 * 1024 * 1024;
export const maxSidePx = 2_048;
const types = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Why a file is not taken; undefined: it is. */
export function refusePicture({ type, size }: Pick<File, "type" | "size">, already: number): string | undefined {
  if (!types.includes(type)) return words.pictureUnknown;
  if (size > maxFileBytes) return words.pictureTooLarge;
  return already >= maxPictures ? words.tooManyPictures : undefined;
}

export const bytesOf = (images: readonly Pick<DraftImage, "data">[]): number =>
  images.reduce((sum, { data }) => sum + Math.floor((data.replace(/=+$/, "").length * 3) / 4), 0);

/** How large it is sent: both sides scaled alike, never up. */
export function fitPicture(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, maxSidePx / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** A moving picture is sent as it is: a canvas would keep its first frame alone. */
export async function readPicture(file: File): Promise<DraftImage> {
  const bitmap = await createImageBitmap(file);
  const size = fitPicture(bitmap.width, bitmap.height);
  if (file.type === "image/gif" || size.width === bitmap.width) {
    bitmap.close();
    return await render(file, file.type);
  }
  const canvas = new OffscreenCanvas(size.width, size.height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, size.width, size.height);
  bitmap.close();
  return await render(await canvas.convertToBlob({ type: file.type, quality: 0.9 }), file.type);
}

async function render(blob: Blob, mimeType: string): Promise<DraftImage> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const data = btoa(text);
  return { data, mimeType, url: `data:${mimeType};base64,${data}`, alt: "" };
}

// Headers of pictures, which is all that the rules read.

const signature = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/** A PNG of this size in pixels, and of so many bytes. */
export function png(width = 1, height = 1, bytes = 24): string {
  const picture = Buffer.alloc(bytes);
  signature.copy(picture);
  picture.writeUInt32BE(width, 16);
  picture.writeUInt32BE(height, 20);
  return picture.toString("base64");
}

/** A GIF of one pixel. */
export const gif = Buffer.from("4749463839610100010000000000", "hex").toString("base64");

/** Base64 of a text. */
export const noPicture = Buffer.from("this is no picture").toString("base64");

// Images for tests: the smallest files that have a true header, of any size in bytes and pixels. Their pixels are nothing.

const renderers = {
  "image/png": (width: number, height: number) => {
    const bytes = Buffer.alloc(33);
    bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  "image/jpeg": (width: number, height: number) => {
    // A segment of the camera's comes first, as in most photographs, and a byte of padding.
    const bytes = Buffer.from("ffd8ffe100080000000000ffffffc000110800000000030000000000", "hex");
    bytes.writeUInt16BE(height, 18);
    bytes.writeUInt16BE(width, 20);
    return bytes;
  },
  "image/gif": (width: number, height: number) => {
    const bytes = Buffer.alloc(16);
    bytes.write("GIF89a", "latin1");
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
    return bytes;
  },
  "image/webp": (width: number, height: number) => {
    const bytes = Buffer.alloc(30);
    bytes.write("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0", "latin1");
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
};

export type TestImageType = keyof typeof renderers;

/** The bytes of an image; `fill` makes it another one of the same header, `bytes` a larger one. */
export function renderTestImage(
  type: TestImageType,
  {
    width = 1,
    height = 1,
    bytes = 0,
    fill = 0,
  }: { width?: number; height?: number; bytes?: number; fill?: number } = {},
): Buffer {
  const header = renderers[type](width, height);
  return Buffer.concat([header, Buffer.alloc(Math.max(0, bytes - header.length), fill)]);
}

/** As the model layer has it. */
export const testImage = (type: TestImageType = "image/png", changes: Parameters<typeof renderTestImage>[1] = {}) => ({
  data: renderTestImage(type, changes).toString("base64"),
  mimeType: type,
});

/** As send_message takes it. */
export function writtenTestImage(...of: Parameters<typeof testImage>): { data: string; mime_type: string } {
  const { data, mimeType } = testImage(...of);
  return { data, mime_type: mimeType };
}

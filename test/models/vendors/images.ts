// What an image is, by its first bytes: type and size in pixels of PNG, JPEG, GIF and WebP. Decodes nothing.

export interface Picture {
  mediaType: string;
  width: number;
  height: number;
}

/** Undefined for anything that is none of the four. Sizes are 0 where the header holds none. */
export function readPicture(bytes: Buffer): Picture | undefined {
  const ascii = (start: number, end: number) => bytes.toString("latin1", start, end);
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89_50_4e_47) {
    return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && ascii(0, 4) === "GIF8") {
    return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) {
    return { mediaType: "image/jpeg", ...readJpegSize(bytes) };
  }
  if (bytes.length >= 16 && ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") {
    return { mediaType: "image/webp", ...readWebpSize(bytes, ascii(12, 16)) };
  }
  return undefined;
}

const unknownSize = { width: 0, height: 0 };

/** The first frame header (SOF0 to SOF15 but for the tables among them). */
function readJpegSize(bytes: Buffer): Pick<Picture, "width" | "height"> {
  let offset = 2;
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes.readUInt8(offset + 1);
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return unknownSize;
}

function readWebpSize(bytes: Buffer, chunk: string): Pick<Picture, "width" | "height"> {
  if (bytes.length < 30) return unknownSize;
  if (chunk === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Linear for any text: a group repeated over megabytes is not. */
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Undefined for what is no base64. */
export const decodeBase64 = (text: string): Buffer | undefined =>
  text.length % 4 === 0 && base64.test(text) ? Buffer.from(text, "base64") : undefined;

/** Undefined for what is no data URL in base64. */
export function readDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

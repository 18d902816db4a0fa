// What an image's first bytes say of it: its true type, and its size in pixels where the header has it at hand. It decodes no
// image, and believes nobody about the type.

export interface ImageHeader {
  mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Absent where the header lies further inside than was read, or is broken. */
  width?: number;
  height?: number;
}

/** Reads the beginning of a file; undefined when it is none of these four. */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return { mimeType: "image/png", ...readPng(bytes) };
  if (start.startsWith("\xff\xd8\xff")) return { mimeType: "image/jpeg", ...readJpeg(bytes) };
  if (/^GIF8[79]a/.test(start)) return { mimeType: "image/gif", ...readGif(bytes) };
  if (/^RIFF[^]{4}WEBP/.test(start)) return { mimeType: "image/webp", ...readWebp(bytes) };
  return undefined;
}

type Size = Pick<ImageHeader, "width" | "height">;

const readPng = (bytes: Buffer): Size =>
  bytes.length < 24 ? {} : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };

const readGif = (bytes: Buffer): Size =>
  bytes.length < 10 ? {} : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };

/** The first frame header among the segments: markers C0 to CF but for C4, C8 and CC. */
function readJpeg(bytes: Buffer): Size {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1; // Padding.
    } else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    } else {
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
  return {};
}

/** Lossy, lossless, or extended: three headers, of which only the last one has whole bytes. */
function readWebp(bytes: Buffer): Size {
  if (bytes.length < 30) return {};
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return {};
  }
}

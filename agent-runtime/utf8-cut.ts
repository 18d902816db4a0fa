// The head or the tail of a text in bytes, as UTF-8, that splits no character.

/** At most `count` bytes from the beginning. */
export const headOf = (bytes: Buffer, count: number): string =>
  bytes.subarray(0, backToBoundary(bytes, Math.max(0, count))).toString("utf8");

/** At most `count` bytes to the end. */
export const tailOf = (bytes: Buffer, count: number): string =>
  bytes.subarray(forwardToBoundary(bytes, Math.max(0, bytes.length - count))).toString("utf8");

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function backToBoundary(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary > 0 && isContinuation(bytes[boundary])) boundary -= 1;
  return boundary;
}

function forwardToBoundary(bytes: Buffer, at: number): number {
  let boundary = at;
  while (isContinuation(bytes[boundary])) boundary += 1;
  return boundary;
}

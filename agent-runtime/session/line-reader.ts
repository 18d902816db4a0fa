// Lines out of a file whose places are known, in blocks: a conversation of a thousand short messages costs two reads, not a
// thousand. One block is in memory at a time.
import type { FileHandle } from "node:fs/promises";

/** Smaller than the index's chunks: most conversations are. */
const blockBytes = 64 * 1024;

export interface LineReader {
  /**
   * The bytes from `start` up to `end`, or up to the file's end where that comes first. Valid until the next call.
   * Lines that are asked for in their order, in either direction, share blocks.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}

export function createLineReader(file: FileHandle): LineReader {
  let block = Buffer.alloc(0);
  let blockStart = Number.POSITIVE_INFINITY;
  const load = async (from: number, to: number): Promise<void> => {
    const bytes = Buffer.allocUnsafe(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    [block, blockStart] = [bytes.subarray(0, bytesRead), from];
  };
  return {
    async read(start, end) {
      if (start < blockStart) await load(Math.max(0, Math.min(start, end - blockBytes)), end);
      else if (end > blockStart + block.length) await load(start, Math.max(end, start + blockBytes));
      return block.subarray(start - blockStart, end - blockStart);
    },
  };
}

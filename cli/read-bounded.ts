// Bytes from a file or a stream, never more than is allowed: a file that grows, a device and a pipe that never ends are
// given up at the limit, and what is no regular file is not read at all.
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** The bytes of a stream; undefined when there are more. */
export async function readBounded(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (!Buffer.isBuffer(bytes)) continue;
    size += bytes.length;
    if (size > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export type RegularFile =
  | { kind: "file"; bytes: Buffer; changedAt: Date }
  /** `size` is what it has in words. */
  | { kind: "too large"; size: string }
  | { kind: "not a file" };

/** @throws Error with a code when it cannot be opened or read */
export async function readRegularFile(path: string, maxBytes: number): Promise<RegularFile> {
  // Never waits for somebody who writes into a FIFO.
  await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = await handle.stat();
  if (!found.isFile()) return { kind: "not a file" };
  if (found.size > maxBytes) return { kind: "too large", size: String(found.size) };
  const bytes = await readBounded(handle.createReadStream({ autoClose: false }), maxBytes);
  if (bytes === undefined) return { kind: "too large", size: `more than ${maxBytes}` };
  return { kind: "file", bytes, changedAt: found.mtime };
}

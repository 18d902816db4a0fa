// Text from a file or a descriptor of this process, never more than is allowed: a file that grows, a device and a pipe that
// never ends are given up at the limit, and what is no file is not opened at all.
import { constants, createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { notAFile, reasonOf } from "./find-files.ts";

/** Largest manifest file; a cluster takes no resource over 1.5 MiB either. */
export const maxFileBytes = 4 * 1024 * 1024;

export interface ReadText {
  text: string;
  /** When the file was last changed, RFC 3339 in UTC. */
  changedAt: string;
}

const tooLarge = (size: string): string =>
  `has ${size} bytes, at most ${maxFileBytes} are read; split it, or move long texts to files of their own`;

/** The text, or what is wrong with the file. */
export async function readTextFile(path: string): Promise<ReadText | string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return notAFile;
    if (found.size > maxFileBytes) return tooLarge(String(found.size));
    // Never waits for a writer, should it have become a FIFO meanwhile.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = await collect(handle.createReadStream());
    return typeof bytes === "string" ? bytes : decode(bytes, found.mtime.toISOString());
  } catch (error) {
    return `cannot be read (${reasonOf(error)}); correct its permissions, or remove it`;
  }
}

/** The same of a pipe that this process was given, such as standard input. */
export async function readDescriptor(fd: number): Promise<ReadText | string> {
  try {
    // Standard input may be non-blocking, which only its own stream can wait for.
    const bytes = await collect(fd === 0 ? process.stdin : createReadStream("", { fd, autoClose: false }));
    return typeof bytes === "string" ? bytes : decode(bytes, renderTime(systemClock));
  } catch (error) {
    return `cannot be read (${reasonOf(error)}); pass manifests to it, as in kustomize build | pallas check -f -`;
  }
}

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer | string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxFileBytes) return tooLarge(`more than ${maxFileBytes}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array, changedAt: string): ReadText | string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, changedAt };
  } catch {
    return "is not UTF-8 text; save it as UTF-8";
  }
}

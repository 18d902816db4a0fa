// The text of a manifest, from a file or from a descriptor of this process, or what is wrong with it.
import { createReadStream } from "node:fs";
import { renderTime, systemClock } from "../../lib/process/clock.ts";
import { readBounded, readRegularFile } from "../read-bounded.ts";
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
    const found = await readRegularFile(path, maxFileBytes);
    if (found.kind === "not a file") return notAFile;
    return found.kind === "file" ? decode(found.bytes, found.changedAt.toISOString()) : tooLarge(found.size);
  } catch (error) {
    return `cannot be read (${reasonOf(error)}); correct its permissions, or remove it`;
  }
}

/** The same of a pipe that this process was given, such as standard input. */
export async function readDescriptor(fd: number): Promise<ReadText | string> {
  try {
    // Standard input may be non-blocking, which only its own stream can wait for.
    const stream = fd === 0 ? process.stdin : createReadStream("", { fd, autoClose: false });
    const bytes = await readBounded(stream, maxFileBytes);
    return bytes === undefined ? tooLarge(`more than ${maxFileBytes}`) : decode(bytes, renderTime(systemClock));
  } catch (error) {
    return `cannot be read (${reasonOf(error)}); pass manifests to it, as in kustomize build | pallas check -f -`;
  }
}

function decode(bytes: Uint8Array, changedAt: string): ReadText | string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, changedAt };
  } catch {
    return "is not UTF-8 text; save it as UTF-8";
  }
}

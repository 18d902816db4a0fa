// Images from files, as send_message takes them. What a file is, its first bytes say, not its name.
import { open } from "node:fs/promises";
import { reasonOf } from "../manifests/find-files.ts";
import { ChatFault } from "./chat-fault.ts";

export interface MessageImage {
  data: string;
  mime_type: string;
}

/** As agents take it. */
export const maxImageBytes = 10 * 1024 * 1024;

const signatures: readonly [string, RegExp][] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
];

/** @throws ChatFault that names the file and what it is not */
export async function readImage(path: string): Promise<MessageImage> {
  const bytes = await readBounded(path);
  const start = bytes.subarray(0, 12).toString("hex");
  const type = signatures.find(([, signature]) => signature.test(start))?.[0];
  if (type === undefined)
    throw new ChatFault(`image ${path}: expected a PNG, JPEG, GIF or WebP file, found something else`);
  return { data: bytes.toString("base64"), mime_type: type };
}

async function readBounded(path: string): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > maxImageBytes)
      throw new ChatFault(`image ${path}: has ${size} bytes, at most ${maxImageBytes} are sent; make it smaller`);
    return await file.readFile();
  } catch (error) {
    if (error instanceof ChatFault) throw error;
    throw new ChatFault(`image ${path}: cannot be read (${reasonOf(error)}); name a file that is there`, {
      cause: error,
    });
  }
}

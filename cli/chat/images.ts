// Images from files, as send_message takes them. What a file is, its first bytes say, not its name.
import { reasonOf } from "../manifests/find-files.ts";
import { readRegularFile } from "../read-bounded.ts";
import { ChatError } from "./chat-error.ts";

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

/** @throws ChatError that names the file and what it is not */
export async function readImage(path: string): Promise<MessageImage> {
  const found = await readRegularFile(path, maxImageBytes).catch((cause: unknown) => {
    throw new ChatError(`image ${path}: cannot be read (${reasonOf(cause)}); name a file that is there`, { cause });
  });
  if (found.kind === "too large") {
    throw new ChatError(`image ${path}: has ${found.size} bytes, at most ${maxImageBytes} are sent; make it smaller`);
  }
  const bytes = found.kind === "file" ? found.bytes : Buffer.alloc(0);
  const start = bytes.subarray(0, 12).toString("hex");
  const type = signatures.find(([, signature]) => signature.test(start))?.[0];
  if (type === undefined) {
    throw new ChatError(`image ${path}: expected a PNG, JPEG, GIF or WebP file, found something else`);
  }
  return { data: bytes.toString("base64"), mime_type: type };
}

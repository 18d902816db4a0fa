// A message from a pipe or a file: read to its end, as text, up to a limit.
import { UsageError } from "../manifests/find-files.ts";
import { readBounded } from "../read-bounded.ts";

/** An agent takes 32 MiB with all that belongs to a message. */
export const maxInputBytes = 16 * 1024 * 1024;

/** @throws UsageError when there is nothing in it, too much, or no text */
export async function readStandardInput(input: AsyncIterable<Buffer | string>): Promise<string> {
  const bytes = await readBounded(input, maxInputBytes);
  if (bytes === undefined) {
    throw new UsageError(`standard input has more than ${maxInputBytes} bytes; send a shorter text`);
  }
  const text = decode(bytes).trimEnd();
  if (text.trim() === "") throw new UsageError("standard input was empty; send a text, or give it with -m");
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError("standard input is not UTF-8 text; send images with --image", { cause: error });
  }
}

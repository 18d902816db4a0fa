// Reads the body of a request to the directory as text: one JSON object in UTF-8, never more bytes in memory than the limits, and
// measured before it is parsed (SEC-6). The text is handed on as well as what it holds, since a card is kept as it was sent.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import { DirectoryRefused } from "./refused.ts";

/** More than whatever can be registered. */
export const maxBodyBytes = 1024 * 1024;
const bounds = { maxDepth: 200, maxStructure: 300_000 };

export interface ReadBody {
  readonly text: string;
  readonly value: Record<string, unknown>;
}

/** Throws a DirectoryRefused. What the body takes counts until it is read whole. */
export async function readBody(request: Request, budget: MemoryBudget): Promise<ReadBody> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new DirectoryRefused(415, "the body must be sent as Content-Type: application/json");
  }
  const holder = budget.open();
  try {
    const text = decode(await readBytes(request, (bytes) => holder.take(bytes)));
    const value = parse(text);
    if (!isJsonObject(value)) throw new DirectoryRefused(400, "the body must be one JSON object");
    return { text, value };
  } finally {
    holder.release();
  }
}

async function readBytes(request: Request, take: (bytes: number) => boolean): Promise<Buffer> {
  const tooLarge = () => new DirectoryRefused(413, `the body is over the limit of ${maxBodyBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) throw tooLarge();
  const measure = createJsonMeter(bounds);
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  for await (const chunk of readChunks(request)) {
    receivedBytes += chunk.byteLength;
    if (receivedBytes > maxBodyBytes) throw tooLarge();
    const problem = measure(chunk);
    if (problem !== undefined) throw new DirectoryRefused(400, `the body ${problem}`);
    if (!take(chunk.byteLength)) {
      throw new DirectoryRefused(
        503,
        "the requests that this gateway works on fill the memory it has for them: try again later",
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, receivedBytes);
}

async function* readChunks({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw new DirectoryRefused(400, "the body ended early or could not be read", { cause });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DirectoryRefused(400, "the body is not UTF-8", { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DirectoryRefused(400, "the body is not valid JSON", { cause });
  }
}

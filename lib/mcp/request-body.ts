// Reads the body of a POST to an MCP endpoint: one JSON-RPC message, never more bytes in memory than the limit (AGT-10, SEC-6).
// Everything else (media type, size, structure, encoding, JSON, batches) is refused here with the 4xx that both eras share, and
// with 503 what has no room beside the other bodies of this process.
import { defined } from "../process/defined.ts";
import { createJsonMeter, type JsonBounds } from "../process/json-structure.ts";
import type { Holder, MemoryBudget } from "../process/memory-budget.ts";
import { isJsonObject, rpcCodes, type RpcFailure } from "./json-rpc.ts";

export type ParsedBody =
  | {
      ok: true;
      message: Record<string, unknown>;
      /** What the message holds of the budget, for whoever is done with it to release; absent for a small one. */
      holder?: Holder;
    }
  | { ok: false; failure: RpcFailure };

export interface BodyLimits {
  /** Inclusive: a body of exactly that size is accepted. */
  maxBytes: number;
  /** Shared by all bodies of the process. */
  budget: MemoryBudget;
  /** Hears that one had no room. */
  onRefused?: (() => void) | undefined;
}

/** No message of the protocol comes near: images and texts are strings, whose insides do not count. */
const bodyBounds: JsonBounds = { maxDepth: 200, maxStructure: 200_000 };
/** Bodies up to here are not counted: a message that is not longer costs less than its connection. */
export const uncountedBytes = 16 * 1024;
const retryAfterSeconds = "5";

/** Reads and parses `request`'s body. Never throws. */
export async function readMessage(request: Request, limits: BodyLimits): Promise<ParsedBody> {
  if (!isJson(request.headers.get("content-type"))) {
    return refuse(415, rpcCodes.serverError, "Unsupported Media Type: Content-Type must be application/json");
  }
  const header = request.headers.get("content-length") ?? "";
  const declaredBytes = /^\d+$/.test(header) ? Number(header) : undefined;
  if (declaredBytes !== undefined && declaredBytes > limits.maxBytes) return refuseSize(limits.maxBytes);
  const holder = limits.budget.open();
  try {
    const isSmall = declaredBytes !== undefined && declaredBytes <= uncountedBytes;
    const read = isSmall ? await readWhole(request, limits.maxBytes) : await readCounted(request, limits, holder);
    const body = read instanceof Uint8Array ? parseMessage(read) : read;
    if (!body.ok) holder.release();
    return body.ok && !isSmall ? { ...body, holder } : body;
  } catch {
    holder.release();
    return refuse(400, rpcCodes.parseError, "Parse error: the request body ended early or could not be read");
  }
}

function parseMessage(bytes: Uint8Array): ParsedBody {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return refuse(400, rpcCodes.parseError, "Parse error: the request body is not valid JSON in UTF-8");
  }
  if (Array.isArray(message)) {
    const text = "Invalid Request: batches left MCP with revision 2025-06-18; send one message per POST";
    return refuse(400, rpcCodes.invalidRequest, text);
  }
  if (!isJsonObject(message)) {
    return refuse(400, rpcCodes.invalidRequest, "Invalid Request: the request body must be one JSON-RPC object");
  }
  return { ok: true, message };
}

/**
 * For a small body of declared length, which node's parser holds its sender to. Without a web stream around the socket a
 * small call costs a fifth less.
 */
async function readWhole(request: Request, maxBytes: number): Promise<Uint8Array | ParsedBody> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > maxBytes) return refuseSize(maxBytes);
  const problem = createJsonMeter(bodyBounds)(bytes);
  return problem === undefined ? bytes : refuseStructure(problem);
}

/**
 * The body's bytes, or the first reason to refuse it. What is left of a refused body is read and dropped: to a sender that
 * is answered in the middle of its body, a closed connection is all that comes of it.
 */
async function readCounted(request: Request, limits: BodyLimits, holder: Holder): Promise<Uint8Array | ParsedBody> {
  if (request.body === null) return new Uint8Array();
  const measure = createJsonMeter(bodyBounds);
  const judge = (chunk: Uint8Array): ParsedBody | undefined => {
    const problem = measure(chunk);
    if (problem !== undefined) return refuseStructure(problem);
    if (holder.take(chunk.byteLength)) return undefined;
    limits.onRefused?.();
    return refuseForNow();
  };
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  let refusal: ParsedBody | undefined;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return refusal ?? Buffer.concat(chunks, receivedBytes);
    receivedBytes += value.byteLength;
    if (receivedBytes > limits.maxBytes) {
      // Not awaited: the source may only settle once the peer has stopped sending.
      reader.cancel().catch(() => undefined);
      return refusal ?? refuseSize(limits.maxBytes);
    }
    if (refusal !== undefined) continue;
    refusal = judge(value);
    if (refusal === undefined) {
      chunks.push(value);
    } else {
      chunks.length = 0;
      holder.release();
    }
  }
}

function isJson(contentType: string | null): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function refuseSize(maxBytes: number): ParsedBody {
  const text = `Payload Too Large: the request body is over the limit of ${maxBytes} bytes`;
  return refuse(413, rpcCodes.serverError, text);
}

/** `problem` goes on "the body …". */
function refuseStructure(problem: string): ParsedBody {
  return refuse(400, rpcCodes.invalidRequest, `Invalid Request: the request body ${problem}`);
}

function refuseForNow(): ParsedBody {
  const text = "The requests that this server works on fill the memory it has for them; try again later";
  return refuse(503, rpcCodes.serverError, text, { "Retry-After": retryAfterSeconds });
}

function refuse(status: number, code: number, message: string, headers?: Record<string, string>): ParsedBody {
  return { ok: false, failure: { status, code, message, ...defined({ headers }) } };
}

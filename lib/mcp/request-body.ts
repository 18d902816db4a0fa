/**
 * Reads the body of a POST to an MCP endpoint: one JSON-RPC message, never more bytes in memory than the limit (AGT-10, SEC-6).
 * Everything else (media type, size, encoding, JSON, batches) is refused here with the 4xx that both eras share.
 */
import { isJsonObject, rpcCodes, type RpcFailure } from "./json-rpc.ts";

export type ParsedBody = { ok: true; message: Record<string, unknown> } | { ok: false; failure: RpcFailure };

/** Reads and parses `request`'s body. `limitBytes` is inclusive: a body of exactly that size is accepted. Never throws. */
export async function readMessage(request: Request, limitBytes: number): Promise<ParsedBody> {
  if (!isJson(request.headers.get("content-type"))) {
    return refuse(415, rpcCodes.serverError, "Unsupported Media Type: Content-Type must be application/json");
  }
  const declared = request.headers.get("content-length") ?? "";
  const isDeclared = /^\d+$/.test(declared);
  if (isDeclared && Number(declared) > limitBytes) {
    return refuseSize(limitBytes);
  }
  let bytes: Uint8Array | undefined;
  try {
    bytes = isDeclared ? await readWhole(request, limitBytes) : await readUpTo(request, limitBytes);
  } catch {
    return refuse(400, rpcCodes.parseError, "Parse error: the request body ended early or could not be read");
  }
  return bytes === undefined ? refuseSize(limitBytes) : parseMessage(bytes);
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
 * For a body of declared length, which node's parser holds its sender to. Without a web stream around the socket a small
 * call costs a fifth less.
 */
async function readWhole(request: Request, limitBytes: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.byteLength > limitBytes ? undefined : bytes;
}

/** The body's bytes, or undefined when there are more than `limitBytes`; the rest of such a body is not read. */
async function readUpTo(request: Request, limitBytes: number): Promise<Uint8Array | undefined> {
  if (request.body === null) {
    return new Uint8Array();
  }
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return Buffer.concat(chunks, receivedBytes);
    }
    receivedBytes += value.byteLength;
    if (receivedBytes > limitBytes) {
      // Not awaited: the source may only settle once the peer has stopped sending.
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

function isJson(contentType: string | null): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function refuseSize(limitBytes: number): ParsedBody {
  const text = `Payload Too Large: the request body is over the limit of ${limitBytes} bytes`;
  return refuse(413, rpcCodes.serverError, text);
}

function refuse(status: number, code: number, message: string): ParsedBody {
  return { ok: false, failure: { status, code, message } };
}

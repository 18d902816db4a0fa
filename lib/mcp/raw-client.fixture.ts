// Plain fetch against an MCP endpoint, for tests that look at status codes, headers and the exact messages on the wire.
import { defined } from "../process/defined.ts";

export const bothTypes = { accept: "application/json, text/event-stream", "content-type": "application/json" };

export const initializeMessage = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

export async function post(url: string, message: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return await fetch(url, {
    method: "POST",
    headers: { ...bothTypes, ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...defined({ signal }),
  });
}

/** Opens a session of the 2025 era and returns the header that belongs to it. */
export async function openSession(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ "mcp-session-id": string }> {
  const response = await post(url, initializeMessage, headers);
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (response.status !== 200 || id === null) {
    throw new Error(`initialize was answered with ${response.status} and session id ${id}`);
  }
  return { "mcp-session-id": id };
}

export function callMessage(name: string, args: object = {}, id: number | string = 1, meta?: object) {
  const params = { name, arguments: args, ...defined({ _meta: meta }) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

/** A call of the 2026 era with the headers it needs. */
export function modernCall(name: string, args: object = {}, meta: object = {}) {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta,
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  return { message: callMessage(name, args, 1, envelope), headers };
}

/** The JSON-RPC messages of an answer, whether it is one JSON body or an event stream read to its end. */
export async function readMessages(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json") === true) return [JSON.parse(text)];
  return (
    text
      .split("\n")
      // An event that only has an id says nothing.
      .filter((line) => line.startsWith("data: ") && line.length > "data: ".length)
      .map((line) => JSON.parse(line.slice("data: ".length)))
  );
}

// JSON-RPC messages as a server writes them to its standard output, a line each. Each is kept with its text, so that it can go
// on as it came. What is no JSON-RPC is nobody's message; nothing here knows a method.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";

export type RpcId = string | number;

export interface Message {
  id?: RpcId;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

export interface Received {
  readonly message: Message;
  /** As it came, without an end of line. */
  readonly text: string;
}

/** The messages of a line: one, or several of a batch; none when it is no JSON-RPC. */
export function readMessages(line: string): readonly Received[] {
  if (!/^\s*[[{]/.test(line)) return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [];
  }
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return message === undefined ? [] : [{ message, text: line.includes("\r") ? JSON.stringify(value) : line }];
  }
  return value.flatMap((each: unknown) => {
    const message = readMessage(each);
    return message === undefined ? [] : [{ message, text: JSON.stringify(each) }];
  });
}

/** The message that a JSON value is; undefined when it is none. */
export function readMessage(value: unknown): Message | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params, result, error } = value;
  const isCall = typeof method === "string";
  if (!isCall && (!isId(id) || (result === undefined && error === undefined))) return undefined;
  return {
    ...(isId(id) && { id }),
    ...(isCall && { method }),
    ...(isJsonObject(params) && { params }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

export const isId = (value: unknown): value is RpcId => typeof value === "string" || typeof value === "number";

/** The token by which a request wants to hear of its progress. */
export function readProgressToken(params: Message["params"]): RpcId | undefined {
  const meta = params?.["_meta"];
  const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
  return isId(token) ? token : undefined;
}

/** In one line for every reader: some take the separators of Unicode for ends of lines. */
export function renderMessage(message: Message): string {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  return /[\u2028\u2029]/.test(text)
    ? text.replaceAll("\u2028", String.raw`\u2028`).replaceAll("\u2029", String.raw`\u2029`)
    : text;
}

export const renderError = (id: RpcId, code: number, message: string): string =>
  renderMessage({ id, error: { code, message } });

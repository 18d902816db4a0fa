/**
 * JSON-RPC errors as MCP uses them: the class that handlers and both SDKs understand, and the HTTP answers for requests
 * that are refused before any handler runs. It knows nothing of methods or sessions.
 */

export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  serverError: -32_000,
  sessionNotFound: -32_001,
  unsupportedProtocolVersion: -32_022,
} as const;

/** An error that reaches the caller as a JSON-RPC error with this code and message; both SDKs read `code`. */
export class JsonRpcError extends Error {
  override readonly name = "JsonRpcError";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface RpcFailure {
  status: number;
  code: number;
  message: string;
  headers?: Record<string, string>;
}

/** The HTTP answer of a refused request. The id is null: the request was not accepted as a JSON-RPC call. */
export function renderRpcFailure(failure: RpcFailure): Response {
  const body = { jsonrpc: "2.0", error: { code: failure.code, message: failure.message }, id: null };
  return Response.json(body, { status: failure.status, headers: failure.headers ?? {} });
}

/** True for a plain JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

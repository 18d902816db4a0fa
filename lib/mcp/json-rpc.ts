// JSON-RPC errors as MCP uses them: the class that handlers and both SDKs understand, and the HTTP answers for requests
// that are refused before any handler runs. It knows nothing of methods or sessions.

export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  serverError: -32_000,
  sessionNotFound: -32_001,
  /** Of the 2025 era; the 2026 era says invalidParams. */
  resourceNotFound: -32_002,
  unsupportedProtocolVersion: -32_022,
} as const;

/** An error that reaches the caller as a JSON-RPC error with this code, message and data, which both SDKs read. */
export class JsonRpcError extends Error {
  override readonly name = "JsonRpcError";
  readonly code: number;
  readonly data?: Record<string, unknown>;

  constructor(code: number, message: string, options?: ErrorOptions & { data?: Record<string, unknown> }) {
    super(message, options);
    this.code = code;
    if (options?.data !== undefined) this.data = options.data;
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

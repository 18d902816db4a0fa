// Calls that a policy refused, as JSON-RPC errors (MGM-5), and the codes that are reserved for them: whoever sees one knows that it was Pallas
// that refused, so an answer of a server that brings one is passed on as what it is, another's misuse. It knows no policy.
import { JsonRpcError } from "./json-rpc.ts";
import { McpError } from "./mcp-error.ts";

export const policyCodes = {
  policy_denied: -32_950,
  policy_denied_continue: -32_951,
  /** A server answered with one of the reserved codes. */
  policy_backend_reserved_misuse: -32_952,
  /** There is no policy to go by, and so no call. */
  policy_evaluator_error: -32_953,
} as const;
export type PolicyErrorType = keyof typeof policyCodes;

const firstReserved = -32_959;
const lastReserved = -32_950;

/** Whether a code is Pallas' own: −32959 to −32950. */
export const isReservedCode = (code: number | undefined): boolean =>
  code !== undefined && code >= firstReserved && code <= lastReserved;

/** A decision of a policy that lets a call not go out; of others than these two actions nobody asks. */
export interface Denial {
  readonly action: string;
  readonly reason?: string | undefined;
  /** Why there is no policy to go by. */
  readonly fault?: string | undefined;
}

const defaultReason = "Tool execution not permitted by policy";

/** What a caller gets for a call that was not made; anything but `denyContinue` is told as `deny_abort`. */
export function denialError({ action, reason = defaultReason, fault }: Denial): JsonRpcError {
  const decision = action === "denyContinue" ? "deny_continue" : "deny_abort";
  if (fault !== undefined) return createError("policy_evaluator_error", decision, fault);
  return createError(decision === "deny_abort" ? "policy_denied" : "policy_denied_continue", decision, reason);
}

/**
 * In place of a server's error with a reserved code: what its caller gets, without the server's words; undefined for any other
 * error. The call was made, so nothing that was decided is told.
 */
export function findReservedMisuse(error: unknown, server: string): JsonRpcError | undefined {
  const code = error instanceof McpError || error instanceof JsonRpcError ? error.code : undefined;
  if (!isReservedCode(code)) return undefined;
  const reason = `server "${server}" answered with the error code ${code}, which is reserved for refusals by policy: its call was made, and failed`;
  return createError("policy_backend_reserved_misuse", "deny_continue", reason, error);
}

/** Whether an error of ours says that a policy, or misuse of its codes, ended a call. */
export const isPolicyError = (error: unknown): error is JsonRpcError =>
  error instanceof JsonRpcError && isReservedCode(error.code);

function createError(type: PolicyErrorType, decision: string, reason: string, cause?: unknown): JsonRpcError {
  return new JsonRpcError(policyCodes[type], type, {
    data: { type, decision, reason },
    ...(cause !== undefined && { cause }),
  });
}

// The errors of MGM-5 as source 004 writes them, and which codes of servers are taken for them.
import { expect, test } from "vitest";
import { JsonRpcError } from "./json-rpc.ts";
import { McpError } from "./mcp-error.ts";
import { denialError, findReservedMisuse, isPolicyError, isReservedCode, policyCodes } from "./policy-error.ts";

const renderError = ({ code, message, data }: JsonRpcError) => ({ code, message, data });

test("MGM-5 a denial is source 004's example, byte for byte", () => {
  const error = denialError({ action: "denyAbort" });
  const answer = { jsonrpc: "2.0", error: renderError(error), id: 42 };
  expect(JSON.stringify(answer, undefined, 2)).toBe(`{
  "jsonrpc": "2.0",
  "error": {
    "code": -32950,
    "message": "policy_denied",
    "data": {
      "type": "policy_denied",
      "decision": "deny_abort",
      "reason": "Tool execution not permitted by policy"
    }
  },
  "id": 42
}`);
});

test.each([
  [{ action: "denyAbort", reason: "no" }, -32_950, "policy_denied", "deny_abort", "no"],
  [{ action: "denyContinue", reason: "not now" }, -32_951, "policy_denied_continue", "deny_continue", "not now"],
  [{ action: "denyAbort", reason: "r", fault: "f" }, -32_953, "policy_evaluator_error", "deny_abort", "f"],
  [{ action: "denyContinue", fault: "f" }, -32_953, "policy_evaluator_error", "deny_continue", "f"],
  // What nobody may ask for is denied all the same.
  [{ action: "allow" }, -32_950, "policy_denied", "deny_abort", "Tool execution not permitted by policy"],
])("MGM-5 %j is an error of its own", (denial, code, type, decision, reason) => {
  expect(renderError(denialError(denial))).toEqual({ code, message: type, data: { type, decision, reason } });
  expect(isPolicyError(denialError(denial))).toBe(true);
});

test("MGM-5 ten codes are reserved, and no other", () => {
  const reserved = Array.from({ length: 30 }, (_, at) => -32_970 + at).filter(isReservedCode);
  expect(reserved).toEqual([-32_959, -32_958, -32_957, -32_956, -32_955, -32_954, -32_953, -32_952, -32_951, -32_950]);
  expect([undefined, 0, 32_950, Number.NaN, -32_949.5].map(isReservedCode)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("MGM-5 a server's error with a reserved code is misuse, without its words", () => {
  const found = findReservedMisuse(new McpError("protocol", "answered", { code: -32_950, said: "you may" }), "evil");
  expect(found && renderError(found)).toEqual({
    code: policyCodes.policy_backend_reserved_misuse,
    message: "policy_backend_reserved_misuse",
    data: {
      type: "policy_backend_reserved_misuse",
      decision: "deny_continue",
      reason:
        'server "evil" answered with the error code -32950, which is reserved for refusals by policy: its call was made, and failed',
    },
  });
  expect(findReservedMisuse(new JsonRpcError(-32_959, "x"), "evil")?.code).toBe(-32_952);
});

test.each([
  new McpError("protocol", "answered", { code: -32_949 }),
  new McpError("timeout", "late"),
  new JsonRpcError(-32_602, "unknown"),
  new Error("other"),
  { code: -32_950 },
])("MGM-5 %s is passed on as it is", (error) => {
  expect(findReservedMisuse(error, "good")).toBeUndefined();
  expect(isPolicyError(error)).toBe(false);
});

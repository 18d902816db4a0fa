// What an approval's decision makes of a call through the gateway: it goes on as it was, or with the arguments that somebody wrote in their
// place; it is answered; or it is denied. Pure.
import type { ApprovalDecision } from "../../crds/approval.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { denialError } from "../../lib/mcp/policy-error.ts";
import { findSchemaProblem, ofStrangers } from "../../lib/mcp/schema-check.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { Decision } from "../../lib/policy/policy.ts";
import { restoreRedacted } from "../../lib/policy/restore.ts";
import type { CallToJudge } from "./judged-call.ts";

type Decided = { readonly args: Record<string, unknown> } | { readonly answer: ToolResult };

/**
 * @param asked what the policy said of the call
 * @throws JsonRpcError where it is denied, or cannot be made as it was decided
 */
export function applyDecision(decision: ApprovalDecision, call: CallToJudge, asked: Decision): Decided {
  switch (decision.verdict) {
    case "approve":
      return { args: call.args };
    case "approveEdited":
      return { args: readEdited(decision, call, asked) };
    case "answer":
      return { answer: { content: [{ type: "text", text: decision.answer ?? "" }] } };
    case "denyContinue":
    case "denyAbort":
      throw denialError({ action: decision.verdict, reason: decision.reason ?? `${decision.by} denied the call` });
  }
}

function readEdited(
  { arguments: text = "", by }: ApprovalDecision,
  { args, definition }: CallToJudge,
  { redact }: Decision,
) {
  const { value, isIncomplete } = restoreRedacted(parse(text), args, redact);
  const problem = isIncomplete
    ? "[redacted] is left where it stands for nothing"
    : findSchemaProblem(definition.inputSchema, value, "the arguments", ofStrangers);
  if (problem === undefined && isJsonObject(value)) return value;
  const reason = `the call cannot be made with the arguments that ${by} wrote: ${problem ?? "they are no JSON object"}`;
  throw denialError({ action: "denyContinue", reason });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

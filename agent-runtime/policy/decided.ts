// What an approval's decision makes of a call: it goes on as it was, or with the arguments that somebody wrote in their place; it
// is answered; or it is denied. Pure.
import type { ApprovalDecision } from "../../crds/approval.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { findSchemaProblem, ofStrangers } from "../../lib/mcp/schema-check.ts";
import { createDecision, type Decision } from "../../lib/policy/policy.ts";
import { restoreRedacted } from "../../lib/policy/restore.ts";
import type { JudgedCall } from "./types.ts";

type Applied = { readonly args: Record<string, unknown> } | { readonly answer: string } | { readonly denied: Decision };

/** @param asked what the policy said of the call */
export function applyDecision(decision: ApprovalDecision, call: JudgedCall, asked: Decision): Applied {
  const { verdict, by, reason } = decision;
  switch (verdict) {
    case "approve":
      return { args: call.args };
    case "approveEdited":
      return readEdited(decision, call, asked);
    case "answer":
      return { answer: decision.answer ?? "" };
    case "denyContinue":
    case "denyAbort":
      return { denied: createDecision({ action: verdict, reason: reason ?? `${by} denied the call` }) };
  }
}

function readEdited(
  { arguments: text = "", by }: ApprovalDecision,
  { args, definition }: JudgedCall,
  { redact }: Decision,
): Applied {
  const { value, isIncomplete } = restoreRedacted(parse(text), args, redact);
  const problem = isIncomplete
    ? "[redacted] is left where it stands for nothing"
    : findSchemaProblem(definition.inputSchema, value, "the arguments", ofStrangers);
  if (problem === undefined && isJsonObject(value)) return { args: value };
  const why = problem ?? "they are no JSON object";
  const reason = `the call cannot be made with the arguments that ${by} wrote: ${why}`;
  return { denied: createDecision({ action: "denyContinue", reason }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

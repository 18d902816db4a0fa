// What an approval's decision makes of a call: it goes on as it was, or with the arguments that somebody wrote in their place; it
// is answered; or it is denied. Pure.
import type { ApprovalDecision } from "../../crds/approval.ts";
import { isJsonObject } from "../mcp/json-rpc.ts";
import { findSchemaProblem, ofStrangers } from "../mcp/schema-check.ts";
import type { ToolResult } from "../mcp/table.ts";
import { createDecision, type Decision } from "../policy/policy.ts";
import { restoreRedacted } from "../policy/restore.ts";
import type { CallInQuestion } from "./question.ts";

type DecidedCall = Pick<CallInQuestion, "args" | "definition">;

/** What somebody answered in a tool's place. */
export interface GivenAnswer {
  readonly text: string;
  /** Where the tool has an output schema, which it fits. */
  readonly structuredContent?: Record<string, unknown>;
}

/** As the successful result of a call. */
export const renderAnswer = ({ text, ...structured }: GivenAnswer): ToolResult => ({
  content: [{ type: "text", text }],
  ...structured,
});

export type Applied =
  | { readonly args: Record<string, unknown> }
  | { readonly answer: GivenAnswer }
  | { readonly denied: Decision };

/** @param asked what the policy said of the call */
export function applyDecision(decision: ApprovalDecision, call: DecidedCall, asked: Decision): Applied {
  const { verdict, by, reason } = decision;
  switch (verdict) {
    case "approve":
      return { args: call.args };
    case "approveEdited":
      return readEdited(decision, call, asked);
    case "answer":
      return readAnswer(decision, call);
    case "denyContinue":
    case "denyAbort":
      return { denied: createDecision({ action: verdict, reason: reason ?? `${by} denied the call` }) };
  }
}

function readEdited(
  { arguments: text = "", by }: ApprovalDecision,
  { args, definition }: DecidedCall,
  { redact }: Decision,
): Applied {
  const { value, isIncomplete } = restoreRedacted(parse(text), args, redact);
  const problem = isIncomplete
    ? "[redacted] is left where it stands for nothing"
    : findSchemaProblem(definition.inputSchema, value, "the arguments", ofStrangers);
  if (problem === undefined && isJsonObject(value)) return { args: value };
  return denyFor(
    `the call cannot be made with the arguments that ${by} wrote: ${problem ?? "they are no JSON object"}`,
  );
}

/** What a tool promises of its results, an answer in its place keeps: its callers go by it. */
function readAnswer({ answer: text = "", by }: ApprovalDecision, { definition }: DecidedCall): Applied {
  const { outputSchema } = definition;
  if (outputSchema === undefined) return { answer: { text } };
  const value = parse(text);
  const problem = findSchemaProblem(outputSchema, value, "the answer", ofStrangers);
  if (problem === undefined && isJsonObject(value)) return { answer: { text, structuredContent: value } };
  return denyFor(`the answer that ${by} gave is not what the tool returns: ${problem ?? "it is no JSON object"}`);
}

const denyFor = (reason: string): Applied => ({ denied: createDecision({ action: "denyContinue", reason }) });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

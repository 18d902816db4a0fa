// How an agent asks its gateway for an approval, on the gateway's main port with the agent's own token (MGM-6): bodies and
// the lines of the stream of POST /agent/approvals and GET /agent/approvals/{name}. Unknown keys are ignored on reading:
// agent and gateway may be of different releases.
import * as z from "zod";
import { approvalDecision, approvalQuestion, decisionRules } from "./approval.ts";

export const agentApprovalsPath = "/agent/approvals";

/** Of a body, and of a line of the stream. */
export const maxApprovalWireBytes = 1024 * 1024;
/** Between two lines of the stream that say that the approval still waits. */
export const approvalHeartbeatMs = 10_000;
/** Of one agent, which wait at the same time. */
export const maxPendingApprovals = 32;

/** What an agent says of the call that it asks about. */
const questionSchema = z.object(approvalQuestion);
export type ApprovalQuestion = z.output<typeof questionSchema>;

const decisionSchema = decisionRules(z.object(approvalDecision));

const lineSchema = z.discriminatedUnion("type", [
  /** First: under which name it is asked again, and until when somebody may decide. */
  z.object({ type: z.literal("waiting"), name: z.string(), expiresAt: z.string() }),
  z.object({ type: z.literal("heartbeat") }),
  z.object({ type: z.literal("decided"), name: z.string(), decision: decisionSchema }),
  z.object({ type: z.literal("expired"), name: z.string() }),
]);
export type ApprovalLine = z.output<typeof lineSchema>;

const useSchema = z.object({
  /** Random, of one use: the same again is answered as before. */
  use: z.uuid(),
  argumentsHash: approvalQuestion.argumentsHash,
});
export type ApprovalUse = z.output<typeof useSchema>;

const usedSchema = z.object({ decision: decisionSchema });

const callerAnswerSchema = z.object({
  verdict: z.enum(["approve", "denyContinue"]),
  argumentsHash: approvalQuestion.argumentsHash,
  reason: z.string().max(1024).exactOptional(),
});
/** What the caller itself answered, where the rule says askCaller. */
export type CallerAnswer = z.output<typeof callerAnswerSchema>;

const errorSchema = z.object({
  /** One word: used, expired, undecided, hash, decided, full, too-large, unready, invalid, not_found. */
  error: z.string().max(64),
  message: z.string().max(4096).default(""),
  /** Where somebody else decided first. */
  decision: decisionSchema.exactOptional(),
});
export type ApprovalError = z.output<typeof errorSchema>;

const reader =
  <T>(schema: z.ZodType<T>, what: string) =>
  (text: string): T => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw new Error(`expected ${what} as JSON, found no JSON`, { cause });
    }
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new Error(`expected ${what}, found another shape: ${z.prettifyError(result.error)}`);
  };

// Each throws an Error that names the faulty fields.
export const parseApprovalQuestion = reader(questionSchema, "a question for an approval");
export const parseApprovalLine = reader(lineSchema, "a line about an approval");
export const parseApprovalUse = reader(useSchema, "a use of an approval");
export const parseApprovalUsed = reader(usedSchema, "the decision of an approval");
export const parseCallerAnswer = reader(callerAnswerSchema, "what the caller answered");
export const parseApprovalError = reader(errorSchema, "why an approval was refused");

// Calls that somebody must approve, or that were decided of, as the gateway's resources have them. `arguments` and `input_schema` are texts of
// JSON, character for character as they were sent.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const verdicts = ["approve", "approve_edited", "answer", "deny_continue", "deny_abort"] as const;

const decision = z.looseObject({
  verdict: z.enum(verdicts),
  by: z.string().optional(),
  at: z.string().optional(),
  reason: z.string().optional(),
  scope: z.string().optional(),
  answer: z.string().optional(),
  arguments: z.string().optional(),
  ignored: z.boolean().optional(),
});

export const approvalSchema = z.looseObject({
  call_id: z.string(),
  agent_id: z.string().nullable(),
  state: z.string(),
  server: z.string(),
  tool: z.string(),
  tool_hash: z.string().optional(),
  description: z.string().optional(),
  hints: z.object({ read_only: z.boolean().optional(), destructive: z.boolean().optional() }).optional(),
  input_schema: z.string().optional(),
  caller: z.string(),
  role: z.string().optional(),
  chain: z
    .array(z.looseObject({ agent: z.string().optional(), caller: z.string().optional(), step: z.string().optional() }))
    .default([]),
  steps: z.array(z.looseObject({ text: z.string(), outcome: z.string(), at: z.string().optional() })).optional(),
  policy: z.looseObject({ name: z.string(), generation: z.number(), rule: z.string().optional() }),
  reason: z.string().optional(),
  approvers: z.array(z.string()).optional(),
  ask_caller: z.boolean().optional(),
  created_at: z.string().optional(),
  expires_at: z.string(),
  arguments_hash: z.string(),
  arguments: z.string().optional(),
  redacted: z.array(z.string()).default([]),
  may_decide: z.boolean(),
  may_not_because: z.string().optional(),
  decision: decision.optional(),
  last_approved: z
    .looseObject({
      call_id: z.string(),
      at: z.string().optional(),
      by: z.string().optional(),
      arguments_hash: z.string(),
      arguments: z.string().optional(),
      same_arguments: z.boolean(),
    })
    .nullable(),
  definition_changed: z.boolean().optional(),
  left_out: z.boolean().optional(),
});
export type ShownApproval = z.output<typeof approvalSchema>;

export const pendingUri = "resource://approvals/pending";
export const pendingResource = jsonResource(z.array(approvalSchema));
export const historyUri = "resource://approvals/history";
export const historyResource = jsonResource(z.array(approvalSchema));
export const approvalUri = (callId: string): string => `resource://approvals/${encodeURIComponent(callId)}`;
export const approvalResource = jsonResource(approvalSchema);

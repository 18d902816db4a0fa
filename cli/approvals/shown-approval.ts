// Approvals as a gateway shows them to whoever asks, read from its resources. What has another form is refused.
import * as z from "zod";

const text = z.string();
const hash = text.regex(/^sha256:[0-9a-f]{64}$/);

const decisionSchema = z.object({
  verdict: z.enum(["approve", "approve_edited", "answer", "deny_continue", "deny_abort"]),
  by: text,
  at: text,
  reason: text.optional(),
  scope: text.optional(),
});

/** One approval; without `arguments` for those who may not see them, or where a list had no room. */
export const approvalSchema = z.object({
  call_id: text,
  agent_id: text.nullable(),
  state: z.enum(["pending", "decided", "used", "expired"]),
  server: text,
  tool: text,
  hints: z.object({ read_only: z.boolean().optional(), destructive: z.boolean().optional() }).default({}),
  caller: text,
  role: text.optional(),
  chain: z.array(z.object({ agent: text.optional(), caller: text.optional(), step: text.optional() })).default([]),
  policy: z.object({ name: text, generation: z.number(), rule: text.optional() }),
  reason: text.optional(),
  approvers: z.array(text).optional(),
  created_at: text.optional(),
  expires_at: z.iso.datetime({ offset: true }),
  arguments_hash: hash,
  arguments: text.optional(),
  redacted: z.array(text).default([]),
  may_decide: z.boolean(),
  may_not_because: text.optional(),
  decision: decisionSchema.optional(),
  last_approved: z
    .object({ at: text, by: text, arguments: text.optional(), same_arguments: z.boolean() })
    .partial({ at: true, by: true })
    .nullable(),
  definition_changed: z.boolean().optional(),
});

export type Approval = z.output<typeof approvalSchema>;
export type ShownDecision = z.output<typeof decisionSchema>;

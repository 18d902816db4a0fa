// A call that waits, for tests: a transfer of an agent, last approved with another amount.
import { approvalSchema, type ShownApproval } from "../../../data/approvals.ts";

export const expiresAt = "2026-11-24T12:10:00Z";

export const fakeApproval = (fields: Record<string, unknown> = {}): ShownApproval =>
  approvalSchema.parse({
    call_id: "pay-1",
    agent_id: "bookkeeper",
    state: "pending",
    server: "payments",
    tool: "create_transfer",
    hints: { destructive: true },
    caller: "mara@example.com",
    chain: [
      { caller: "mara@example.com", agent: "concierge" },
      { caller: "agent:concierge", agent: "bookkeeper" },
    ],
    policy: { name: "default", generation: 1, rule: "pay" },
    reason: "amounts above 100 are released by finance",
    expires_at: expiresAt,
    arguments_hash: "sha256:1",
    arguments: '{"amount":1840,"iban":"DE02"}',
    redacted: [],
    may_decide: true,
    last_approved: {
      call_id: "pay-0",
      at: "2026-11-23T15:20:00Z",
      by: "jonas@example.com",
      arguments_hash: "sha256:0",
      arguments: '{"amount":1240,"iban":"DE02"}',
      same_arguments: false,
    },
    definition_changed: false,
    ...fields,
  });

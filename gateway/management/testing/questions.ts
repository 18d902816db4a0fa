// Calls that somebody must approve, and policies that ask about them, for tests of the management server.
import { maxSchemaChars } from "../../../crds/approval.ts";
import type { ApprovalQuestion } from "../../../crds/approval-wire.ts";
import { kinds } from "../../../crds/kinds.ts";
import { apiVersion } from "../../../crds/names.ts";
import type { PallasPolicy } from "../../../crds/policy.ts";
import { hashArguments } from "../../../lib/policy/canonical-json.ts";
import { redact } from "../../../lib/policy/redact.ts";
import { parseResource } from "../../../plan/parse.ts";

const hex = (digit: string) => digit.repeat(64);

interface QuestionParts extends Partial<ApprovalQuestion> {
  /** As they would be sent. */
  sent?: object;
}

/** Ann pays by the clerk. Another `sent` is another call. */
export function paymentQuestion({
  sent = { amount: 40 },
  redacted = [],
  ...rest
}: QuestionParts = {}): ApprovalQuestion {
  return {
    sessionHash: hex("1"),
    caller: "ann",
    chain: [{ caller: "ann" }, { agent: "clerk", step: "Pay the bill" }],
    server: "bank",
    tool: "pay",
    toolHash: `sha256:${hex("a")}`,
    hints: { destructive: true },
    description: "Pays a bill.",
    steps: [{ text: "bank/balance", outcome: "ok", at: "2026-01-01T00:00:00.000Z" }],
    inputSchema: JSON.stringify({ type: "object", properties: { amount: { type: "number" } } }),
    argumentsHash: `sha256:${hashArguments(sent)}`,
    arguments: JSON.stringify(redact(sent, redacted)),
    redacted,
    policy: { name: "careful", generation: 1, rule: "pay", reason: "money leaves the house" },
    ...rest,
  };
}

/** With texts as long as they may be. */
export const longQuestion = (n: number): ApprovalQuestion =>
  paymentQuestion({
    sent: { n, text: "x".repeat(250 * 1024) },
    inputSchema: JSON.stringify({ type: "object", title: "x".repeat(maxSchemaChars - 100) }),
  });

export function samplePolicy(name: string, spec: object = {}, generation = 1): PallasPolicy {
  const parsed = parseResource(kinds.PallasPolicy, {
    apiVersion,
    kind: "PallasPolicy",
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, generation },
    spec: {
      instanceRef: { name: "ouranos" },
      rules: [{ name: "reads", match: { tools: ["get_*"] }, action: "allow" }],
      ...spec,
    },
  });
  if (parsed.ok) return parsed.value;
  throw new Error(`expected a policy, found ${JSON.stringify(parsed.problems)}`);
}

// What people are asked about a call through the gateway: all that an approval shows and is bound to. Pure.
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import { maxSchemaChars } from "../../crds/approval.ts";
import type { JsonObjectSchema } from "../../lib/mcp/table.ts";
import { hashArguments } from "../../lib/policy/canonical-json.ts";
import type { Decision } from "../../lib/policy/policy.ts";
import { redact } from "../../lib/policy/redact.ts";
import { defined } from "../../lib/process/defined.ts";
import { hashOfTool } from "../servers/tool-hash.ts";
import type { PolicyInForce } from "./followed-policy.ts";
import { hashSession, readHints, type CallToJudge } from "./judged-call.ts";

const renderHash = (hex: string): string => `sha256:${hex}`;

/**
 * @param decision that asks
 * @throws TypeError for arguments that have no canonical form
 */
export function renderQuestion(
  call: CallToJudge,
  decision: Decision,
  { name, generation }: PolicyInForce,
): ApprovalQuestion {
  const { server, definition, args, identity } = call;
  const { rule, reason, approvers, askCaller } = decision;
  return {
    sessionHash: hashSession(call),
    caller: identity.name,
    ...(identity.kind === "person" && defined({ role: identity.role })),
    chain: [identity.kind === "agent" ? { agent: identity.agent } : { caller: identity.name }],
    server,
    tool: definition.name,
    toolHash: renderHash(hashOfTool(definition)),
    hints: readHints(definition),
    ...defined({ inputSchema: renderSchema(definition.inputSchema) }),
    argumentsHash: renderHash(hashArguments(args)),
    arguments: JSON.stringify(redact(args, decision.redact)),
    redacted: [...decision.redact],
    policy: {
      name,
      generation,
      ...defined({ rule, reason }),
      ...(approvers.length > 0 && { approvers: [...approvers] }),
      ...(askCaller && { askCaller }),
    },
  };
}

/** A longer one is not shown. */
function renderSchema(schema: JsonObjectSchema): string | undefined {
  const text = JSON.stringify(schema);
  return text.length <= maxSchemaChars ? text : undefined;
}

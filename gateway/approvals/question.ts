// A question as it is asked, made into the approval that is written: what cannot be shown as it is, or is not what it says it is,
// is refused, so that nobody decides of something else than what will be sent. Pure.
import { maxArgumentsChars, maxSchemaChars, pallasApproval, type PallasApproval } from "../../crds/approval.ts";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import { apiVersion, labels } from "../../crds/names.ts";
import { defined } from "../../lib/process/defined.ts";
import { hashArguments } from "../../lib/policy/canonical-json.ts";
import { ApprovalRefused } from "./approvals.ts";
import { hashCall, nameApproval } from "./call-hash.ts";
import { readJsonObject } from "./changed-call.ts";

/** Of the label that finds approvals of the same call. */
const labelHashChars = 63;
const callLabel = "pallas.helu.ca/call";

const tooLong = `the arguments are longer than ${maxArgumentsChars} characters of JSON`;

export interface AskedBy {
  readonly namespace: string;
  readonly instance: { readonly name: string; readonly uid?: string | undefined };
  /** Absent: a call through the gateway itself. */
  readonly agent?: { readonly name: string; readonly uid?: string | undefined } | undefined;
}

type Asked = Omit<PallasApproval["spec"], "expiresAt" | "decision">;

/** @throws ApprovalRefused too-large, invalid */
export function acceptQuestion(question: ApprovalQuestion, { instance, agent }: AskedBy): Asked {
  const { arguments: shown, inputSchema, outputSchema } = question;
  if (shown.length > maxArgumentsChars) throw new ApprovalRefused("too-large", tooLong);
  const longest = Math.max(inputSchema?.length ?? 0, outputSchema?.length ?? 0);
  if (longest > maxSchemaChars) {
    throw new ApprovalRefused("too-large", `a schema is longer than ${maxSchemaChars} characters: leave it out`);
  }
  const written = requireShown(question);
  for (const schema of [inputSchema, outputSchema]) {
    const read = schema === undefined ? {} : readJsonObject(schema);
    if (typeof read === "string") throw new ApprovalRefused("invalid", `the schemas of the tool ${read}`);
  }
  const bound = {
    instanceRef: { name: instance.name },
    ...(agent && { agentRef: { name: agent.name }, ...defined({ agentUid: agent.uid }) }),
    ...question,
    arguments: written,
  };
  return { ...bound, callHash: hashCall(bound) };
}

/**
 * What is shown must be what is approved; only where parts are kept from people that cannot be compared. Returns it as a program
 * reads it: a name that comes twice in a text is shown once.
 */
function requireShown({ arguments: shown, argumentsHash, redacted }: ApprovalQuestion): string {
  const read = readJsonObject(shown);
  if (typeof read === "string") throw new ApprovalRefused("invalid", `the arguments ${read}`);
  const written = JSON.stringify(read);
  if (written.length > maxArgumentsChars) throw new ApprovalRefused("too-large", tooLong);
  if (redacted.length > 0 || argumentsHash === `sha256:${hashOf(read)}`) return written;
  throw new ApprovalRefused("invalid", "argumentsHash is not the hash of the arguments (RFC 8785, SHA-256)");
}

function hashOf(value: object): string | undefined {
  try {
    return hashArguments(value);
  } catch {
    // Half a surrogate pair has no canonical form.
    return undefined;
  }
}

/** @param n how many there were for the same call before it */
export function renderApproval(
  asked: Asked,
  by: AskedBy,
  { n, expiresAt }: { n: number; expiresAt: string },
): PallasApproval {
  const { namespace, instance, agent } = by;
  const owner =
    instance.uid === undefined ? [] : [{ apiVersion, kind: "PallasInstance", name: instance.name, uid: instance.uid }];
  return {
    apiVersion,
    kind: pallasApproval.kind,
    metadata: {
      name: nameApproval(asked, n),
      namespace,
      labels: {
        [labels.instance]: instance.name,
        ...(agent && { [labels.agent]: agent.name }),
        [callLabel]: asked.callHash.slice(0, labelHashChars),
      },
      // Gone with the instance.
      ...(owner.length > 0 && { ownerReferences: owner }),
    },
    spec: { ...asked, expiresAt },
  };
}

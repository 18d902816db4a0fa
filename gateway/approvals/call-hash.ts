// What an approval is bound to, as one hash, and the names of approvals for the same call, which every replica makes alike. Pure.
import type { ApprovalSpec } from "../../crds/approval.ts";
import { hashArguments } from "../../lib/policy/canonical-json.ts";

type Bound = Pick<
  ApprovalSpec,
  | "instanceRef"
  | "agentRef"
  | "agentUid"
  | "sessionHash"
  | "caller"
  | "server"
  | "tool"
  | "toolHash"
  | "argumentsHash"
  | "policy"
>;

const maxOwnerChars = 40;
const hashChars = 12;

/** Another agent (by its uid), session, caller, tool, definition, argument or policy edit makes another call. In hexadecimal. */
export function hashCall(spec: Bound): string {
  const { instanceRef, agentRef, agentUid = null, sessionHash, caller, server, tool, toolHash, argumentsHash } = spec;
  const { name, generation } = spec.policy;
  return hashArguments({
    ...{ instance: instanceRef.name, agent: agentRef?.name ?? null, agentUid, sessionHash, caller },
    ...{ server, tool, toolHash, argumentsHash },
    policy: { name, generation },
  });
}

/** @param n how many there were for the same call before it */
export function nameApproval({ agentRef, callHash }: Pick<ApprovalSpec, "agentRef" | "callHash">, n: number): string {
  const owner = (agentRef?.name ?? "gateway").slice(0, maxOwnerChars).replace(/-+$/, "");
  return `${owner}-${callHash.slice(0, hashChars)}-${n}`;
}

/** The `n` that is in a name. */
export const numberOf = (name: string): number => Number(/-(\d{1,9})$/.exec(name)?.[1] ?? 0);

// Where proposals of policies are kept (MGM-3): beside the policy in its status, or in a file of local mode. The two are told apart
// by nothing but this interface.
import { maxProposals, maxProposalsBytes, type PolicyProposal } from "../../../crds/policy.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { WriteRefused } from "../../state/state.ts";

export interface ProposalStore {
  /** Of a policy, the oldest first. From memory. */
  list(policy: string): readonly PolicyProposal[];
  /**
   * Gives a policy other proposals, in the name of `by`, whom the log names.
   * @param edit gets those that are there, and may be called again with others; what it throws comes out
   * @throws WriteRefused
   */
  edit(policy: string, edit: EditProposals, by: Identity): Promise<void>;
  /** Says of changes that no watch of policies tells of, by the policy's name, until what it returns is called. */
  onChange(listener: (policy: string) => void): () => void;
}

export type EditProposals = (known: readonly PolicyProposal[]) => readonly PolicyProposal[];

/** Throws a WriteRefused where they are more than a policy may have. */
export function requireRoom(policy: string, proposals: readonly PolicyProposal[]): void {
  const refuse = (found: string) => {
    const message = `policy "${policy}" has room for ${maxProposals} proposals of ${maxProposalsBytes} bytes together, found ${found}; withdraw or reject one first`;
    throw new WriteRefused(message, { kind: "invalid" });
  };
  if (proposals.length > maxProposals) refuse(`${proposals.length} proposals`);
  const bytes = Buffer.byteLength(JSON.stringify(proposals));
  if (bytes > maxProposalsBytes) refuse(`${bytes} bytes`);
}

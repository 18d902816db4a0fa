// Where approvals are kept: in the cluster as resources, locally in a file. Reads are from memory; every write names the form that
// it changes, so that of two who write at once one is refused and must look again. It judges nothing.
import type { ApprovalDecision, ApprovalStatus, PallasApproval } from "../../crds/approval.ts";

/**
 * taken: there is one of that name. changed: it is not that form any more. gone: there is none. invalid: it breaks a rule of its
 * kind, or there is no room. away: no answer, so that nobody knows whether it was written.
 */
export type StoreRefusal = "taken" | "changed" | "gone" | "invalid" | "away";

export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  readonly kind: StoreRefusal;

  constructor(kind: StoreRefusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export interface ApprovalStore {
  /** Of this instance, by name; the same array while nothing has changed. What this process wrote is in it. */
  list(): readonly PallasApproval[];
  /** As it is where it is kept. Throws StoreRefused away. */
  read(name: string): Promise<PallasApproval | undefined>;
  /** Throws StoreRefused, as all writes do; none is ever half done. */
  create(approval: PallasApproval): Promise<PallasApproval>;
  decide(seen: PallasApproval, decision: ApprovalDecision): Promise<PallasApproval>;
  setStatus(seen: PallasApproval, status: ApprovalStatus): Promise<PallasApproval>;
  remove(seen: PallasApproval): Promise<void>;
  /** Called after changes, with the names of what came, changed or went, until what it returns is called. */
  onChange(listener: (names: readonly string[]) => void): () => void;
}

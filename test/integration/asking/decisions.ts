// Approvals as people see and decide them with kubectl.
import { vi } from "vitest";
import { approvalManifest, type ApprovalDecision, type PallasApproval } from "../../../crds/approval.ts";
import type { WatchedNamespace } from "../watched-namespace.ts";

const patience = { timeout: 30_000, interval: 200 };

export interface Decisions {
  list(): Promise<PallasApproval[]>;
  /** Those of payments of this amount. */
  ofAmount(amount: number): Promise<PallasApproval[]>;
  /** The one approval of this amount that waits. */
  untilWaiting(amount: number): Promise<PallasApproval>;
  /** As somebody whose user name is `by`; approves unless said otherwise. */
  decide(approval: PallasApproval, by: string, decided?: Partial<ApprovalDecision>): Promise<void>;
}

export const isExpired = ({ status }: PallasApproval): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Expired" && is === "True") ?? false;

export function createDecisions({ kubectl }: Pick<WatchedNamespace, "kubectl">): Decisions {
  const list = async (): Promise<PallasApproval[]> => {
    const { items }: { items: unknown[] } = JSON.parse(await kubectl("get", "pallasapprovals", "-o", "json"));
    return items.map((item) => approvalManifest.parse(item));
  };
  const ofAmount = async (amount: number) =>
    (await list()).filter(({ spec }) => JSON.parse(spec.arguments)["amount"] === amount);
  return {
    list,
    ofAmount,
    untilWaiting: (amount) =>
      vi.waitFor(async () => {
        const found = await ofAmount(amount);
        const waiting = found.filter((each) => each.spec.decision === undefined && !isExpired(each));
        const [approval] = waiting;
        if (approval === undefined || waiting.length > 1) throw new Error(`expected one, found ${waiting.length}`);
        return approval;
      }, patience),
    async decide({ metadata, spec: { argumentsHash } }, by, decided = {}) {
      const decision = { verdict: "approve", argumentsHash, at: new Date().toISOString(), by, ...decided };
      const patch = JSON.stringify({ spec: { decision } });
      await kubectl("patch", "pallasapproval", metadata.name, `--as=${by}`, "--type=merge", `--patch=${patch}`);
    },
  };
}

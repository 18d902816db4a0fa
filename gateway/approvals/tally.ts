// Counts what becomes of approvals while this process looks on: each verdict once, by whichever way it came. What was so before is no
// event.
import { verdicts, type PallasApproval, type Verdict } from "../../crds/approval.ts";
import type { ApprovalState } from "./approvals.ts";
import type { Life } from "./parts.ts";

export const approvalEnds = [...verdicts, "expired", "withdrawn"] as const;
export type ApprovalEnd = Verdict | "expired" | "withdrawn";

export interface PendingApprovals {
  readonly pending: number;
  /** Since when the one waits that has waited longest; 0 where none does. */
  readonly oldestMs: number;
}

/** To be called after each change. */
export function createTally(
  life: Life,
  count: (end: ApprovalEnd) => void,
): { look(): void; observe(): PendingApprovals } {
  let known: ReadonlyMap<string, ApprovalState> | undefined;
  return {
    look() {
      if (life.state.observeUnready() !== undefined) return;
      const list = life.store.list();
      const next = new Map(list.map((each) => [keyOf(each), life.stateOf(each)]));
      for (const each of known === undefined ? [] : list) {
        const [before = "pending", now] = [known?.get(keyOf(each)), next.get(keyOf(each))];
        if (before === "pending" && now !== "pending") count(endOf(life, each));
      }
      known = next;
    },
    observe() {
      const pending = life.store.list().filter((each) => life.stateOf(each) === "pending");
      const { timeoutMs } = life.config.approvals;
      const askedAt = pending.map(({ spec }) => Date.parse(spec.expiresAt) - timeoutMs);
      const oldestMs = pending.length === 0 ? 0 : Math.max(0, life.clock.wallNow() - Math.min(...askedAt));
      return { pending: pending.length, oldestMs };
    },
  };
}

const keyOf = ({ metadata }: PallasApproval): string => `${metadata.name} ${metadata.uid ?? ""}`;

function endOf({ read }: Life, approval: PallasApproval): ApprovalEnd {
  const isWithdrawn = approval.status?.conditions?.some(
    ({ type, reason }) => type === "Expired" && reason === "Withdrawn",
  );
  return read(approval)?.verdict ?? (isWithdrawn === true ? "withdrawn" : "expired");
}

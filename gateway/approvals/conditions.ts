// What is written of an approval once it is over: in one write, which names the form that it was.
import type { ApprovalStatus, PallasApproval } from "../../crds/approval.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import type { Life } from "./parts.ts";

const condition = (type: string, reason: string, message: string, clock: Clock) => ({
  type,
  status: "True" as const,
  lastTransitionTime: renderTime(clock),
  reason,
  message,
});

/** @param use id of the one who used it */
export function renderUsed({ read, clock }: Life, approval: PallasApproval, use: string): ApprovalStatus {
  const decision = read(approval);
  const told = `${decision?.verdict ?? "nothing"} by ${decision?.by ?? "nobody"}`;
  return {
    usedBy: use,
    conditions: [
      condition("Decided", "Decided", told, clock),
      condition("Consumed", "Used", "What was decided has been used by the call that waited for it.", clock),
    ],
  };
}

/** Timeout: nobody decided. Withdrawn: who asked does not need it any more. Unused: nobody came for what was decided. */
export type ExpiryReason = "Timeout" | "Withdrawn" | "Unused";

const sentences: Readonly<Record<ExpiryReason, string>> = {
  Timeout: "Nobody decided in time, and the call was denied.",
  Withdrawn: "Who asked does not wait for it any more.",
  Unused: "Nobody came for what was decided, and it holds no longer.",
};

export function renderExpired({ clock }: Life, reason: ExpiryReason): ApprovalStatus {
  return { conditions: [condition("Expired", reason, sentences[reason], clock)] };
}

// Where an approval stands at a moment, when that changes by itself, and when it is collected: all by what is written in it, so that
// every process that reads it says the same. Pure; times are of the wall clock, in milliseconds since 1970.
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import type { ApprovalState } from "./approvals.ts";

export interface ApprovalTimes {
  /** How long somebody may take to decide, and then whoever asked to use what was decided. */
  readonly timeoutMs: number;
  /** How long one that is over is kept. */
  readonly keepMs: number;
}

/** Whoever was answered may ask for the same answer again, when it was lost on the way. */
const leastKeepMs = 60_000;

type Read = (approval: PallasApproval) => ApprovalDecision | undefined;

export function standingOf(approval: PallasApproval, read: Read, nowMs: number, timeoutMs: number): ApprovalState {
  if (approval.status?.usedBy !== undefined || timeOf(approval, "Consumed") !== undefined) return "used";
  if (timeOf(approval, "Expired") !== undefined) return "expired";
  const decision = read(approval);
  const expiresAtMs = Date.parse(approval.spec.expiresAt);
  if (decision === undefined) return nowMs < expiresAtMs ? "pending" : "expired";
  // Written past this gateway, and too late.
  if (Date.parse(decision.at) >= expiresAtMs) return "expired";
  return isForSession(decision) || nowMs < grantEndsAt(approval, decision, timeoutMs) ? "decided" : "expired";
}

/** Whoever writes past the gateway may have a clock that is behind: what is decided in time holds until the expiry at least. */
const grantEndsAt = ({ spec }: PallasApproval, { at }: ApprovalDecision, timeoutMs: number): number =>
  Math.max(Date.parse(at) + timeoutMs, Date.parse(spec.expiresAt));

export const isForSession = ({ verdict, scope }: ApprovalDecision): boolean =>
  verdict === "approve" && scope === "session";

/** Whether a status says that it is over; else only the clock does. */
export const isTold = (approval: PallasApproval): boolean =>
  approval.status?.usedBy !== undefined || ["Consumed", "Expired"].some((type) => timeOf(approval, type) !== undefined);

/** What becomes of it by itself, and when. */
export function nextOf(
  approval: PallasApproval,
  read: Read,
  { timeoutMs, keepMs }: ApprovalTimes,
): { readonly what: "expire" | "collect"; readonly atMs: number } {
  const decision = read(approval);
  const expiresAtMs = Date.parse(approval.spec.expiresAt);
  const isInTime = decision !== undefined && Date.parse(decision.at) < expiresAtMs;
  if (isTold(approval)) return { what: "collect", atMs: overAt(approval) + Math.max(keepMs, leastKeepMs) };
  if (!isInTime) return { what: "expire", atMs: expiresAtMs };
  const endsAtMs = grantEndsAt(approval, decision, timeoutMs);
  if (isForSession(decision)) return { what: "collect", atMs: Math.max(Date.parse(decision.at) + keepMs, endsAtMs) };
  return { what: "expire", atMs: endsAtMs };
}

/** When it was used or expired. */
export const overAt = (approval: PallasApproval): number =>
  timeOf(approval, "Consumed") ?? timeOf(approval, "Expired") ?? Date.parse(approval.spec.expiresAt);

/** Since when a condition holds; undefined where it does not. */
function timeOf({ status }: PallasApproval, type: string): number | undefined {
  const found = status?.conditions?.find((each) => each.type === type && each.status === "True");
  return found && Date.parse(found.lastTransitionTime);
}

// What becomes of approvals by themselves: those that nobody decided or used in time are told to have expired, and those that have been
// over for long enough are collected, the oldest first where there are too many. One timer for all; what fails is tried again.
import type { PallasApproval } from "../../crds/approval.ts";
import type { Timer } from "../../lib/process/clock.ts";
import { renderExpired } from "./conditions.ts";
import { sizeOf } from "./open.ts";
import type { Life } from "./parts.ts";
import { isTold, overAt } from "./standing.ts";
import { StoreRefused } from "./store.ts";

/** Of those that are over; who wants more keeps a log. */
export const keptLimits = { maxApprovals: 1_000, maxChars: 16 * 1024 * 1024 } as const;
const maxWritesAtOnce = 64;
const retryMs = 5_000;

export interface Sweeper {
  /** Looks again when something is next due. */
  reschedule(): void;
  close(): void;
}

/** @param onSwept called after each time, for what goes by the clock alone */
export function createSweeper(life: Life, onSwept: () => void): Sweeper {
  let timer: Timer | undefined;
  let dueAtMs = Number.POSITIVE_INFINITY;
  let isSweeping = false;
  let closed = false;

  const schedule = (atMs: number) => {
    timer?.cancel();
    dueAtMs = atMs;
    const delayMs = Math.max(0, atMs - life.clock.wallNow());
    timer = Number.isFinite(atMs) && !closed ? life.clock.schedule(delayMs, () => void sweep()) : undefined;
  };
  const sweep = async () => {
    isSweeping = true;
    const failed = await sweepOnce(life);
    isSweeping = false;
    if (closed) return;
    onSwept();
    schedule(Math.max(nextDue(life), failed ? life.clock.wallNow() + retryMs : 0));
  };
  return {
    reschedule() {
      if (isSweeping || closed) return;
      const atMs = nextDue(life);
      if (atMs !== dueAtMs || timer === undefined) schedule(atMs);
    },
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}

/** When anything is due; at once where there are too many. */
function nextDue(life: Life): number {
  if (findSurplus(life).length > 0) return life.clock.wallNow();
  return life.store.list().reduce((soonest, each) => Math.min(soonest, life.next(each).atMs), Number.POSITIVE_INFINITY);
}

/** Whether something is left to try again. */
async function sweepOnce(life: Life): Promise<boolean> {
  const { store, clock, log } = life;
  const nowMs = clock.wallNow();
  const surplus = new Set(findSurplus(life));
  const due = store.list().flatMap((approval) => {
    const { what, atMs } = life.next(approval);
    if (surplus.has(approval)) return [{ approval, what: "collect" as const }];
    return atMs <= nowMs ? [{ approval, what }] : [];
  });
  let failed = false;
  for (const { approval, what } of due.slice(0, maxWritesAtOnce)) {
    const { name } = approval.metadata;
    try {
      if (what === "collect") {
        await store.remove(approval);
        log.debug({ approval: name }, "approval collected");
      } else {
        const reason = approval.spec.decision === undefined ? "Timeout" : "Unused";
        await store.setStatus(approval, renderExpired(life, reason));
        log.info({ approval: name, reason }, "approval expired");
      }
    } catch (error) {
      // Somebody was faster: it is looked at as it is now.
      if (error instanceof StoreRefused && ["changed", "gone"].includes(error.kind)) {
        await store.read(name).catch(() => undefined);
      } else {
        log.warn({ approval: name, err: error }, "approval cannot be ended or collected, and is tried again");
      }
      failed = true;
    }
  }
  return failed;
}

/** Of those that are over, the oldest of too many. */
function findSurplus({ store }: Life): readonly PallasApproval[] {
  const over = store.list().filter(isTold);
  let [count, chars] = [over.length, over.reduce((sum, { spec }) => sum + sizeOf(spec), 0)];
  if (count <= keptLimits.maxApprovals && chars <= keptLimits.maxChars) return [];
  const surplus: PallasApproval[] = [];
  for (const approval of over.toSorted((a, b) => overAt(a) - overAt(b))) {
    if (count <= keptLimits.maxApprovals && chars <= keptLimits.maxChars) break;
    surplus.push(approval);
    count -= 1;
    chars -= sizeOf(approval.spec);
  }
  return surplus;
}

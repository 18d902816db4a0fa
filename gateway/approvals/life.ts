// The whole life of approvals put together (MGM-6): asked or found, waited for, decided, used once, expired, collected. Nothing of it
// is kept here but who waits: what a process knows it has from the store, and so the next process knows it too.
import { randomUUID } from "node:crypto";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import { sleep } from "../../lib/process/clock.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { ApprovalRefused, type Approvals, type Asker, type AskOptions, type Outcome } from "./approvals.ts";
import { renderExpired } from "./conditions.ts";
import { decideApproval, decideByCaller } from "./decide.ts";
import { judgeRight } from "./judge-verdict.ts";
import { createOpen, type Open } from "./open.ts";
import { createLife, maxTries, notFound, refuseBy, type Life, type LifeParts } from "./parts.ts";
import { StoreRefused } from "./store.ts";
import { createSweeper } from "./sweep.ts";
import { createTally, type PendingApprovals } from "./tally.ts";
import { useApproval } from "./use.ts";
import { createWaits, type Waits } from "./wait.ts";

export interface ServedApprovals extends Approvals {
  observe(): PendingApprovals;
}

export interface ApprovalsParts extends LifeParts {
  metrics: Pick<GatewayMetrics, "countApproval">;
}

export function createApprovals({ metrics, ...parts }: ApprovalsParts): ServedApprovals {
  const life = createLife(parts);
  const listeners = new Set<() => void>();
  const waits = createWaits(life);
  const tally = createTally(life, metrics.countApproval);
  const tell = () => {
    tally.look();
    waits.look();
    for (const listener of [...listeners]) listener();
  };
  const sweeper = createSweeper(life, tell);
  const open = createOpen(life);
  const stop = life.store.onChange(() => {
    tell();
    sweeper.reschedule();
  });
  sweeper.reschedule();
  return {
    list: () => life.store.list(),
    get: life.find,
    onChange(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    stateOf: life.stateOf,
    open,
    wait: waits.wait,
    ask: async (question, from, options) => await ask({ life, open, waits }, question, from, options),
    use: async (name, use) => await useApproval(life, name, use),
    decide: async (name, verdict, identity) => await decideApproval(life, name, verdict, identity),
    decideAsCaller: async (name, answer) => await decideByCaller(life, name, answer),
    whyNot(approval, identity) {
      const right = judgeRight(approval, identity, life.state);
      return "refusal" in right ? right.why : undefined;
    },
    // The one who withdraws may still be waiting, too.
    withdraw: async (name) => await withdraw(life, name, waits.count(name) > 1),
    observe: tally.observe,
    async close() {
      stop();
      sweeper.close();
      waits.close();
      listeners.clear();
    },
  };
}

interface Asking {
  life: Life;
  open: Open;
  waits: Waits;
}

async function ask(
  { life, open, waits }: Asking,
  question: ApprovalQuestion,
  from: Asker,
  { signal, onWaiting }: AskOptions,
): Promise<Outcome> {
  const use = randomUUID();
  for (let tries = 0; tries < maxTries; tries += 1) {
    signal.throwIfAborted();
    const approval = await open(question, from);
    const { name } = approval.metadata;
    if (life.stateOf(approval) === "pending") onWaiting?.({ name, expiresAt: approval.spec.expiresAt });
    const outcome = await waits.wait(name, signal).catch((error: unknown) => {
      if (signal.aborted && waits.count(name) === 0) void withdrawQuietly(life, name);
      throw error;
    });
    if (outcome.outcome === "expired") return outcome;
    try {
      const decision = await useSurely(life, name, { use, argumentsHash: question.argumentsHash }, signal);
      return { ...outcome, decision };
    } catch (error) {
      // An equal call was faster, or it expired at this very moment: this one is asked about by itself.
      const isOver = error instanceof ApprovalRefused && ["used", "expired", "not_found"].includes(error.kind);
      if (!isOver) throw error;
    }
  }
  throw new ApprovalRefused("unready", "approvals of this call are used up by others all the time: try again");
}

const useTries = 5;
const usePauseMs = 1_000;

/** The same use may be tried again, whatever became of it before. */
async function useSurely(life: Life, name: string, use: Parameters<typeof useApproval>[2], signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await useApproval(life, name, use);
    } catch (error) {
      const isUnready = error instanceof ApprovalRefused && error.kind === "unready";
      if (!isUnready || tries >= useTries) throw error;
      await sleep(life.clock, usePauseMs, signal);
    }
  }
}

async function withdraw(life: Life, name: string, othersWait: boolean): Promise<void> {
  const approval = life.find(name);
  if (approval === undefined) throw notFound(name);
  if (othersWait || approval.spec.decision !== undefined || life.stateOf(approval) !== "pending") return;
  try {
    await life.store.setStatus(approval, renderExpired(life, "Withdrawn"));
    life.log.info({ approval: name, reason: "Withdrawn" }, "approval expired");
  } catch (error) {
    // Decided at this very moment, which may stay.
    if (!(error instanceof StoreRefused) || !["changed", "gone"].includes(error.kind)) throw refuseBy(error);
  }
}

async function withdrawQuietly(life: Life, name: string): Promise<void> {
  try {
    await withdraw(life, name, false);
  } catch (error) {
    life.log.warn({ approval: name, err: error }, "approval cannot be withdrawn, and will expire");
  }
}

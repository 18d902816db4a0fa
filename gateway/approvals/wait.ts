// Waiting for what somebody decides, however many wait for the same approval. It uses nothing and withdraws nothing.
import type { PallasApproval } from "../../crds/approval.ts";
import { ApprovalRefused, type Outcome } from "./approvals.ts";
import { notFound, type Life } from "./parts.ts";
import { isTold } from "./standing.ts";

/** What is written in the last moment is told a little later; an API server that gives no answer must not hold up who waits. */
const graceMs = 5_000;

export interface Waits {
  wait(name: string, signal: AbortSignal): Promise<Outcome>;
  /** How many wait for it here. */
  count(name: string): number;
  /** Looks at all again. */
  look(): void;
  close(): void;
}

export function createWaits(life: Life): Waits {
  const looks = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  const wait = async (name: string, signal: AbortSignal): Promise<Outcome> => {
    const either = AbortSignal.any([signal, closing.signal]);
    either.throwIfAborted();
    const first = life.find(name);
    if (first === undefined) throw notFound(name);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const look = () => {
      const outcome = findOutcome(life, name, life.find(name));
      if (outcome !== undefined) resolve(outcome);
    };
    const onAbort = () => reject(either.reason instanceof Error ? either.reason : new Error("the wait was ended"));
    const own = looks.get(name) ?? new Set();
    looks.set(name, own.add(look));
    either.addEventListener("abort", onAbort, { once: true });
    const delayMs = Date.parse(first.spec.expiresAt) + graceMs - life.clock.wallNow();
    const timer = life.clock.schedule(Math.max(delayMs, 0), look);
    try {
      look();
      return await promise;
    } finally {
      timer.cancel();
      either.removeEventListener("abort", onAbort);
      own.delete(look);
      if (own.size === 0 && looks.get(name) === own) looks.delete(name);
    }
  };
  return {
    wait,
    count: (name) => looks.get(name)?.size ?? 0,
    look() {
      for (const own of [...looks.values()]) for (const each of [...own]) each();
    },
    close: () => closing.abort(new ApprovalRefused("unready", "the gateway is shutting down: ask again")),
  };
}

/** Undefined while it waits. */
function findOutcome(life: Life, name: string, approval: PallasApproval | undefined): Outcome | undefined {
  if (approval === undefined) return { name, outcome: "expired" };
  const decision = life.read(approval);
  const state = life.stateOf(approval);
  if (decision !== undefined && (state === "decided" || state === "used")) {
    return { name, outcome: "decided", decision };
  }
  if (state === "pending") return undefined;
  const isLate = life.clock.wallNow() >= Date.parse(approval.spec.expiresAt) + graceMs;
  return isTold(approval) || decision !== undefined || isLate ? { name, outcome: "expired" } : undefined;
}

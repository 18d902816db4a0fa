// Rate limits of rules: how many calls each caller or agent may still make. What is over a limit is denied, in words that
// say when it is allowed again. Calls that were refused count for nothing.
import { denies } from "./decide.ts";
import type { AppliedLimit, Call, Decision } from "./policy.ts";
import { WindowCounts } from "./window-counts.ts";

export interface LimiterOptions {
  /** Milliseconds from any moment on, never backwards. */
  readonly now: () => number;
  /** Pairs of a rule and a caller or agent that are counted at once, of each kind of window. */
  readonly maxKeys?: number;
}

interface Claim {
  readonly rule: string;
  readonly key: string;
  readonly max: number;
  readonly counts: WindowCounts;
  readonly unit: "minute" | "day";
  readonly per: "caller" | "agent";
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const defaultMaxKeys = 10_000;

/** Counts belong to names of rules: they go on when a policy is replaced by one that has rules of the same names. */
export class Limiter {
  readonly #now: () => number;
  readonly #minutes: WindowCounts;
  readonly #days: WindowCounts;

  constructor({ now, maxKeys = defaultMaxKeys }: LimiterOptions) {
    this.#now = now;
    this.#minutes = new WindowCounts({ windowMs: minuteMs, maxKeys });
    this.#days = new WindowCounts({ windowMs: dayMs, maxKeys });
  }

  /** The decision, and the call counted; or `denyContinue` and nothing counted, where any of its limits is reached. */
  admit(decision: Decision, call: Pick<Call, "caller" | "agent">): Decision {
    if (decision.limits.length === 0 || denies(decision)) return decision;
    const nowMs = this.#now();
    const claims = decision.limits.flatMap((limit) => this.#claimsOf(limit, call));
    let refused: { claim: Claim; waitMs: number } | undefined;
    for (const claim of claims) {
      const waitMs = claim.counts.waitMs(claim.key, claim.max, nowMs);
      if (waitMs > (refused?.waitMs ?? 0)) refused = { claim, waitMs };
    }
    if (refused !== undefined) return refuse(decision, refused.claim, refused.waitMs);
    for (const { counts, key } of claims) counts.add(key, nowMs);
    return decision;
  }

  #claimsOf(limit: AppliedLimit, call: Pick<Call, "caller" | "agent">): Claim[] {
    const { rule, perMinute, perDay, per = "caller" } = limit;
    const key = JSON.stringify([rule, per, call[per]]);
    const claims: Claim[] = [];
    const shared = { rule, key, per };
    if (perMinute !== undefined) claims.push({ ...shared, max: perMinute, counts: this.#minutes, unit: "minute" });
    if (perDay !== undefined) claims.push({ ...shared, max: perDay, counts: this.#days, unit: "day" });
    return claims;
  }
}

function refuse(decision: Decision, { rule, key, max, counts, unit, per }: Claim, waitMs: number): Decision {
  const retryAfterMs = Math.ceil(waitMs);
  const calls = max === 1 ? "1 call" : `${max} calls`;
  const why = counts.knows(key)
    ? `rule ${rule} allows ${calls} a ${unit} by ${per}`
    : `rule ${rule} has a limit, and no more callers or agents can be counted now`;
  const reason = `${why}; try again in ${Math.ceil(waitMs / 1_000)} s`;
  return {
    ...decision,
    action: "denyContinue",
    reason,
    approvers: [],
    askCaller: false,
    limited: { rule, retryAfterMs },
  };
}

// A policy that was read, a call that it is asked about, and what it says of it.
import type { CompiledTest } from "./argument-test.ts";
import type { Glob } from "./glob.ts";
import type { Action, Hints, RuleLimit } from "./rules.ts";

export interface Call {
  readonly server: string;
  readonly tool: string;
  /** Who calls, as a name that nobody can choose for themselves. */
  readonly caller: string;
  readonly role: string;
  /** In whose run the call is made; counted by limits `per: agent`. */
  readonly agent: string;
  /** A JSON value. */
  readonly arguments?: unknown;
  readonly hints?: Hints;
}

/** A limit that holds for a call, and the rule whose it is. */
export interface AppliedLimit extends RuleLimit {
  readonly rule: string;
}

export interface Decision {
  readonly action: Action;
  /** The name of the rule that decided; undefined for the default and for a fault. */
  readonly rule: string | undefined;
  readonly reason: string | undefined;
  readonly approvers: readonly string[];
  readonly askCaller: boolean;
  readonly redact: readonly string[];
  /** What `Limiter.admit` has to ask before the call is made. */
  readonly limits: readonly AppliedLimit[];
  /** Why there is no policy to go by: the denial is an error of the evaluator, not of the call. */
  readonly fault?: string;
  /** The rule whose limit was reached, and in how many milliseconds the same call fits into it. */
  readonly limited?: { readonly rule: string; readonly retryAfterMs: number };
}

export interface CompiledRule {
  /** Undefined matches every one. */
  readonly servers: readonly Glob[] | undefined;
  readonly tools: readonly Glob[] | undefined;
  readonly callers: readonly Glob[] | undefined;
  readonly roles: readonly Glob[] | undefined;
  readonly args: readonly CompiledTest[];
  readonly hints: Hints | undefined;
  readonly decision: Decision;
}

export interface Policy {
  readonly rules: readonly CompiledRule[];
  /** Where no rule matches. */
  readonly otherwise: Decision;
}

/** A policy under which no call is made, because there is none to go by. */
export function denyAll(problem: string): Policy {
  return { rules: [], otherwise: createDecision({ action: "denyAbort", reason: problem, fault: problem }) };
}

export function createDecision(parts: Pick<Decision, "action"> & Partial<Decision>): Decision {
  const nothing = { rule: undefined, reason: undefined, approvers: [], askCaller: false, redact: [], limits: [] };
  return { ...nothing, ...parts };
}

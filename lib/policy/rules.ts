// What a policy is written as: rules, of which the first that matches decides, and what is decided where none does.

/** Strictest last: what is found by untrusted hints may only move a decision towards the end. */
export const actions = ["allow", "ask", "denyContinue", "denyAbort"] as const;
export type Action = (typeof actions)[number];

export type Scalar = string | number | boolean | null;

/** Has `path` and exactly one of the others. */
export interface ArgumentTest {
  /** A JSON pointer (RFC 6901) into the arguments; "" is all of them. */
  readonly path: string;
  /** The same value of the same type: 1 is not "1". */
  readonly equals?: Scalar;
  readonly in?: readonly Scalar[];
  /** Of a string. */
  readonly prefix?: string;
  /** Of a whole string; `*` stands for any characters. */
  readonly glob?: string;
  /** Of a number. */
  readonly lessThan?: number;
  readonly greaterThan?: number;
  /** True: there is nothing at the path. False: there is something, and be it null. */
  readonly absent?: boolean;
}

/** What a server says of its own tool. Of what it does not say the worst is taken: not read-only, and then destructive. */
export interface Hints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
}

/** All that is given must hold; of a list of globs any one. */
export interface RuleMatch {
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly callers?: readonly string[];
  readonly roles?: readonly string[];
  readonly args?: readonly ArgumentTest[];
  readonly hints?: Hints;
}

/** Has at least one of the two counts. */
export interface RuleLimit {
  readonly perMinute?: number;
  readonly perDay?: number;
  /** Whose calls are counted together; by caller unless said. */
  readonly per?: "caller" | "agent";
}

export interface Rule {
  /** Letters, digits, `.`, `_` and `-`; unique in the policy. */
  readonly name: string;
  /** Without it the rule matches every call. */
  readonly match?: RuleMatch;
  readonly action: Action;
  readonly reason?: string;
  /** Who may approve; anybody who may approve at all unless said. */
  readonly approvers?: readonly string[];
  /** The caller may approve, too. */
  readonly askCaller?: boolean;
  /** JSON pointers to what is shown to nobody; a segment `*` stands for every member. */
  readonly redact?: readonly string[];
  readonly limit?: RuleLimit;
}

export interface PolicyRules {
  readonly rules: readonly Rule[];
  /** Where no rule matches; `ask` unless said. */
  readonly default?: Action;
}

/** How much a policy may have. All of it is walked for a call at worst. */
export const maxima = {
  rules: 128,
  nameChars: 63,
  /** Of each list of globs, of `in` and of `approvers`. */
  listItems: 64,
  textChars: 256,
  reasonChars: 1_024,
  argumentTests: 16,
  /** Tests by `glob` of all rules together: each may read a megabyte. */
  globTests: 256,
  redactions: 32,
  pointerChars: 512,
  pointerSegments: 32,
  /** Of a limit, each. */
  calls: 1_000_000,
  /** Of each name in a call: a longer one is of nothing that there is. */
  callNameChars: 1_024,
  /** Problems that are told of one policy. */
  problems: 16,
} as const;

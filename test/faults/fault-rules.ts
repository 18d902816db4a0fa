// What may go wrong, and for which calls: rules that are added and removed while the proxy runs. The first rule that
// matches and has turns left is taken. Nothing here is random: the same calls in the same order meet the same faults.

import type { ApiRequest } from "./api-request.ts";

/** Which calls a rule is for; what is left out matches everything. In watches `name` is that of the event's object. */
export interface FaultMatch {
  readonly verb?: string;
  /** As RBAC writes it: `deployments`, `pallasagents/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string | RegExp;
  readonly isWrite?: boolean;
}

/** What `run` throws makes the proxy's `stop` reject. */
export interface CallbackFault {
  readonly kind: "call-before" | "call-after";
  readonly run: (request: ApiRequest) => void | Promise<void>;
}

/** Befalls a call before the API server hears of it. */
export type RequestFault =
  /** Never answered. */
  | { readonly kind: "drop" }
  | { readonly kind: "delay"; readonly delayMs: number }
  /** TCP RST. */
  | { readonly kind: "reset" }
  | { readonly kind: "answer"; readonly status: number; readonly retryAfterSeconds?: number }
  /** A list as it was then, page tokens included: the server's own history, which it keeps for five minutes. */
  | { readonly kind: "stale-list"; readonly resourceVersion: string }
  /** Watches from an older version than this get 410, as after the server forgot its history; others pass. */
  | { readonly kind: "compacted"; readonly before: string }
  /** Accepted and ended at once, in an orderly way. */
  | { readonly kind: "end-watch" }
  /** Runs and is waited for before the API server hears of the call: the place to get ahead of it. */
  | (CallbackFault & { readonly kind: "call-before" });

/** Befalls a call that the API server has answered: a write is applied by then. */
export type AnswerError =
  /** TCP RST in place of the answer. */
  | { readonly kind: "lose-answer" }
  /** Half of the body, then RST. */
  | { readonly kind: "truncate-answer" }
  /** Runs and is waited for, and only then is the answer passed on: the place to kill the client. */
  | (CallbackFault & { readonly kind: "call-after" });

/** Befalls one event of a watch. Bookmarks are spared, except by silence. */
export type EventFault =
  /** Half of the line, then RST. */
  | { readonly kind: "truncate-event" }
  /** ERROR 410 in its place, then the end. */
  | { readonly kind: "expire" }
  /** From here on nothing more is sent on this stream, which stays open. */
  | { readonly kind: "silence" }
  | { readonly kind: "duplicate" }
  /** Held back, while later ones pass, until the rule is released or removed. */
  | { readonly kind: "withhold" }
  /** A line that is not JSON in its place. */
  | { readonly kind: "garbage" }
  /** Written byte by byte, so that characters are cut. */
  | { readonly kind: "split" };

export type FaultAction = RequestFault | AnswerError | EventFault;

export interface FaultRule {
  readonly match: FaultMatch;
  readonly action: FaultAction;
  /** How often it strikes; default: until it is removed. */
  readonly times?: number;
  /** So many matching calls or events pass first: 2 makes the third the first to be struck. Default 0. */
  readonly skip?: number;
}

export interface FaultHandle {
  /** How often it has struck. */
  readonly hits: number;
  /** Milliseconds since 1970 of the last strike; undefined before the first. */
  readonly lastHitAt: number | undefined;
  /** Lets go of what is withheld; the rule stays. */
  release(): void;
  /** Also releases. May be called twice. */
  remove(): void;
}

/** One strike of a rule. */
export interface Strike<Action extends FaultAction> {
  readonly action: Action;
  readonly released: Promise<void>;
}

const stages = {
  request: new Set<string>(["drop", "delay", "reset", "answer", "stale-list", "compacted", "end-watch", "call-before"]),
  answer: new Set<string>(["lose-answer", "truncate-answer", "call-after"]),
  event: new Set<string>(["truncate-event", "expire", "silence", "duplicate", "withhold", "garbage", "split"]),
};
const isRequestFault = (action: FaultAction): action is RequestFault => stages.request.has(action.kind);
const isAnswerFault = (action: FaultAction): action is AnswerError => stages.answer.has(action.kind);
const isEventFault = (action: FaultAction): action is EventFault => stages.event.has(action.kind);

/** Rules pile up only when a test forgets to remove them. */
export const maxRules = 1_000;

class Rule<Action extends FaultAction> implements FaultHandle, Strike<Action> {
  readonly action: Action;
  readonly #rule: FaultRule;
  readonly #forget: () => void;
  readonly #released = Promise.withResolvers<void>();
  #seen = 0;
  hits = 0;
  lastHitAt: number | undefined;

  constructor(rule: FaultRule, action: Action, forget: () => void) {
    this.#rule = rule;
    this.action = action;
    this.#forget = forget;
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  /** Counts the call when it matches; true when it is struck. */
  strikes(request: ApiRequest): boolean {
    const { match, skip = 0, times = Number.POSITIVE_INFINITY } = this.#rule;
    if (this.hits >= times || !matches(match, request)) return false;
    this.#seen += 1;
    if (this.#seen <= skip) return false;
    this.hits += 1;
    this.lastHitAt = Date.now();
    return true;
  }

  release(): void {
    this.#released.resolve();
  }

  remove(): void {
    this.release();
    this.#forget();
  }
}

const isNamed = (wanted: string | RegExp | undefined, name: string): boolean =>
  wanted instanceof RegExp ? wanted.test(name) : (wanted ?? name) === name;

export function matches(match: FaultMatch, request: ApiRequest): boolean {
  return (
    (match.verb ?? request.verb) === request.verb &&
    (match.resource ?? request.resource) === request.resource &&
    (match.namespace ?? request.namespace) === request.namespace &&
    isNamed(match.name, request.name ?? "") &&
    (match.isWrite ?? request.isWrite) === request.isWrite
  );
}

export class FaultRules {
  readonly #request = new Set<Rule<RequestFault>>();
  readonly #answer = new Set<Rule<AnswerError>>();
  readonly #event = new Set<Rule<EventFault>>();

  add(rule: FaultRule): FaultHandle {
    const { action } = rule;
    if (isRequestFault(action)) return this.#keep(this.#request, rule, action);
    if (isAnswerFault(action)) return this.#keep(this.#answer, rule, action);
    if (isEventFault(action)) return this.#keep(this.#event, rule, action);
    throw new Error(`expected an action of a known kind, found ${JSON.stringify(action)}`);
  }

  #keep<Action extends FaultAction>(rules: Set<Rule<Action>>, rule: FaultRule, action: Action): FaultHandle {
    if (rules.size >= maxRules) {
      throw new Error(`expected at most ${maxRules} fault rules of one stage; remove those that are done`);
    }
    const kept: Rule<Action> = new Rule(rule, action, () => rules.delete(kept));
    rules.add(kept);
    return kept;
  }

  clear(): void {
    for (const rules of [this.#request, this.#answer, this.#event]) for (const rule of rules) rule.remove();
  }

  takeForRequest(request: ApiRequest): Strike<RequestFault> | undefined {
    return [...this.#request].find((rule) => rule.strikes(request));
  }

  takeForAnswer(request: ApiRequest): Strike<AnswerError> | undefined {
    return [...this.#answer].find((rule) => rule.strikes(request));
  }

  takeForEvent(request: ApiRequest, isBookmark: boolean): Strike<EventFault> | undefined {
    return [...this.#event].find((rule) => (!isBookmark || rule.action.kind === "silence") && rule.strikes(request));
  }
}

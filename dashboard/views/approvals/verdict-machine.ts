// How somebody comes from an open card to a verdict, as a pure machine: presses do nothing for a moment after anything changed, a
// second step where there is reason for one, a hold of three seconds in which all can be taken back, and then what the gateway says. Whoever
// drives it gives the time and sends what it says is to be sent.
import type { Json } from "../../parts/schema-form/json-text.ts";

export const quietMs = 600;
export const holdMs = 3_000;

export interface Verdict {
  readonly decision: "approve" | "answer" | "deny_continue" | "deny_abort";
  readonly scope?: "session";
  readonly reason?: string;
  readonly answer?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Of a denial: those of the same run that wait, too. */
  readonly isOfRun?: true;
}

/** What was typed and not sent. */
export interface Drafts {
  readonly reason: string;
  readonly answer: string;
  /** Of the arguments. */
  readonly edited: Json | undefined;
}

export type Panel = "scope" | "more" | "denying" | "editing" | "answering";

export type Step =
  | { readonly kind: "ready" }
  | { readonly kind: Panel }
  | { readonly kind: "confirming"; readonly verdict: Verdict; readonly why: readonly string[]; readonly from: Origin }
  | {
      readonly kind: "held";
      readonly verdict: Verdict;
      readonly from: Origin;
      /** By `elapsedMs`. */
      readonly sendAtMs: number;
      readonly leftSeconds: number;
    }
  | { readonly kind: "sending"; readonly verdict: Verdict; readonly from: Origin; readonly sentAt: number }
  | { readonly kind: "over"; readonly ending: Ending };
type Origin = "ready" | Panel;

export interface Ending {
  /** `other`: somebody else was first, or the same person in another place. `expired`: nobody was in time. */
  readonly kind: "mine" | "other" | "expired";
  /** How much earlier the other was than the verdict that was pressed here; undefined where none was. */
  readonly earlierByMs: number | undefined;
  readonly wasPressed: boolean;
}

export interface VerdictState {
  /** Of the arguments that are on the screen. */
  readonly hash: string;
  readonly step: Step;
  /** By `elapsedMs`: until then, presses do nothing. */
  readonly quietUntilMs: number;
  readonly drafts: Drafts;
  /** Why the last verdict was not taken, as the gateway says it. */
  readonly problem: string | undefined;
}

export interface Moment {
  /** Only ever grows. */
  readonly elapsedMs: number;
  /** By the server's clock. */
  readonly serverMs: number;
}

export type VerdictEvent =
  /** What is on the screen: the first time, or other arguments than before. */
  | { readonly kind: "shown"; readonly hash: string }
  | { readonly kind: "open"; readonly panel: Panel }
  | { readonly kind: "typed"; readonly drafts: Partial<Drafts> }
  /** `why` a second step is needed; empty: it is not. */
  | { readonly kind: "chosen"; readonly verdict: Verdict; readonly why: readonly string[] }
  | { readonly kind: "confirmed" }
  /** Out of a panel or the second step, or what is held is taken back. */
  | { readonly kind: "back" }
  | { readonly kind: "time" }
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "taken" }
  /** `isDecided`: since the same person has decided in another place. */
  | { readonly kind: "refused"; readonly message: string; readonly isDecided?: boolean }
  /** The gateway's word that it is over. `at` in milliseconds by its clock. */
  | { readonly kind: "ended"; readonly by: "me" | "other" | "nobody"; readonly at: number };

export interface Stepped {
  readonly state: VerdictState;
  /** To be sent now, once. */
  readonly send?: Verdict;
}

const noDrafts: Drafts = { reason: "", answer: "", edited: undefined };

export const openCard = (hash: string, { elapsedMs }: Moment): VerdictState => ({
  hash,
  step: { kind: "ready" },
  quietUntilMs: elapsedMs + quietMs,
  drafts: noDrafts,
  problem: undefined,
});

export function step(state: VerdictState, event: VerdictEvent, now: Moment): Stepped {
  switch (event.kind) {
    case "shown":
      return { state: show(state, event.hash, now) };
    case "typed":
      return { state: { ...state, drafts: { ...state.drafts, ...event.drafts } } };
    case "open":
    case "chosen":
    case "confirmed":
    case "back":
      return { state: isQuiet(state, now) ? state : press(state, event, now) };
    case "time":
      return passTime(state, now);
    case "lost":
      return { state: state.step.kind === "held" ? giveBack(state, state.step.from, now, event.message) : state };
    case "taken":
    case "refused":
      return { state: hearAnswer(state, event, now) };
    case "ended":
      return { state: end(state, event, now) };
  }
}

const isQuiet = ({ quietUntilMs }: VerdictState, { elapsedMs }: Pick<Moment, "elapsedMs">): boolean =>
  elapsedMs < quietUntilMs;

/** The bar changes: what was under the pointer is something else now. */
const turn = (state: VerdictState, step: Step, { elapsedMs }: Moment): VerdictState => ({
  ...state,
  step,
  quietUntilMs: elapsedMs + quietMs,
  problem: undefined,
});

const giveBack = (state: VerdictState, from: Origin, now: Moment, problem: string): VerdictState => ({
  ...turn(state, { kind: from }, now),
  problem,
});

function show(state: VerdictState, hash: string, now: Moment): VerdictState {
  if (hash === state.hash) return { ...state, quietUntilMs: Math.max(state.quietUntilMs, now.elapsedMs + quietMs) };
  // What was chosen was chosen of other arguments.
  const isChosen = ["confirming", "held"].includes(state.step.kind);
  return { ...turn(state, isChosen ? { kind: "ready" } : state.step, now), hash };
}

type Press = Extract<VerdictEvent, { kind: "open" | "chosen" | "confirmed" | "back" }>;

function press(state: VerdictState, event: Press, now: Moment): VerdictState {
  const { step } = state;
  if (event.kind === "back") return goBack(state, now);
  if (event.kind === "confirmed") {
    return step.kind === "confirming" ? hold(state, step.verdict, step.from, now) : state;
  }
  const from = originOf(step);
  if (from === undefined) return state;
  if (event.kind === "open") return turn(state, { kind: event.panel }, now);
  const { verdict, why } = event;
  return why.length === 0
    ? hold(state, verdict, from, now)
    : turn(state, { kind: "confirming", verdict, why, from }, now);
}

/** Undefined where a verdict is on its way already. */
function originOf({ kind }: Step): Origin | undefined {
  return kind === "confirming" || kind === "held" || kind === "sending" || kind === "over" ? undefined : kind;
}

function goBack(state: VerdictState, now: Moment): VerdictState {
  const { step } = state;
  if (step.kind === "sending" || step.kind === "over" || step.kind === "ready") return state;
  if (step.kind === "confirming" || step.kind === "held") return turn(state, { kind: step.from }, now);
  return turn(state, { kind: "ready" }, now);
}

function hold(state: VerdictState, verdict: Verdict, from: Origin, now: Moment): VerdictState {
  const sendAtMs = now.elapsedMs + holdMs;
  return turn(state, { kind: "held", verdict, from, sendAtMs, leftSeconds: Math.ceil(holdMs / 1_000) }, now);
}

function passTime(state: VerdictState, now: Moment): Stepped {
  const { step } = state;
  if (step.kind !== "held") return { state };
  const leftMs = step.sendAtMs - now.elapsedMs;
  if (leftMs > 0) return { state: { ...state, step: { ...step, leftSeconds: Math.ceil(leftMs / 1_000) } } };
  const { verdict, from } = step;
  return { state: turn(state, { kind: "sending", verdict, from, sentAt: now.serverMs }, now), send: verdict };
}

function hearAnswer(
  state: VerdictState,
  event: Extract<VerdictEvent, { kind: "taken" | "refused" }>,
  now: Moment,
): VerdictState {
  const { step } = state;
  if (step.kind !== "sending") return state;
  if (event.kind === "refused") {
    if (!event.isDecided) return giveBack(state, step.from, now, event.message);
    return turn(state, { kind: "over", ending: { kind: "other", earlierByMs: undefined, wasPressed: true } }, now);
  }
  const ending: Ending = { kind: "mine", earlierByMs: undefined, wasPressed: true };
  return { ...turn(state, { kind: "over", ending }, now), drafts: noDrafts };
}

function end(state: VerdictState, { by, at }: Extract<VerdictEvent, { kind: "ended" }>, now: Moment): VerdictState {
  const { step } = state;
  if (step.kind === "over") return state;
  // The gateway's answer to what was sent says it better.
  if (step.kind === "sending" && by === "me") return state;
  const countsAt = whenItCounts(step, now);
  const ending: Ending = {
    kind: by === "nobody" ? "expired" : by === "me" && countsAt === undefined ? "mine" : "other",
    earlierByMs: by === "other" && countsAt !== undefined ? Math.max(0, countsAt - at) : undefined,
    wasPressed: countsAt !== undefined,
  };
  return turn(state, { kind: "over", ending }, now);
}

/** By the server's clock, when the verdict that was pressed is or would be sent. */
function whenItCounts(step: Step, { elapsedMs, serverMs }: Moment): number | undefined {
  if (step.kind === "sending") return step.sentAt;
  return step.kind === "held" ? serverMs + step.sendAtMs - elapsedMs : undefined;
}

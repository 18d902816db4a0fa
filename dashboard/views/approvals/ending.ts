// How a call that waited ended, in sentences: who decided what and when, whether it was made, and whether an answer of one's own came too
// late. And what "the same run" is. Pure.
import type { ShownApproval } from "../../data/approvals.ts";
import { fill } from "../../words/fill.ts";
import { verdictWords as words } from "../../words/verdicts.ts";
import { tellClock, tellClockWithSeconds, tellDuration } from "../../words/times.ts";
import type { Ending } from "./verdict-machine.ts";

type Ended = Pick<ShownApproval, "state" | "decision" | "expires_at">;

/** Decided, or nobody can decide any more. */
export const isOver = ({ state }: Pick<Ended, "state">): boolean => state !== "pending";

/** `withdrawn`: before its time was up, nobody waited for it any more. */
export type Outcome = "decided" | "expired" | "withdrawn";

export function outcomeOf({ state, decision, expires_at }: Ended, now: number): Outcome {
  if (state !== "expired" || (decision !== undefined && decision.ignored !== true)) return "decided";
  return now < Date.parse(expires_at) ? "withdrawn" : "expired";
}

export const whoDecided = (approval: Ended, me: string | undefined): string => {
  const by = approval.decision?.by;
  return by === undefined ? words.somebody : by === me ? words.you : by;
};

/** The text with `{by}` left for whoever sets it. */
export function verdictText({ decision }: Pick<Ended, "decision">): string {
  if (decision === undefined) return "";
  const isSession = decision.verdict === "approve" && decision.scope === "session";
  const text: string = isSession ? words.verdict.approve_session : words.verdict[decision.verdict];
  return text.replace("{time}", tellClockWithSeconds(Date.parse(decision.at ?? "")));
}

/** What became of an approved call; undefined of others. */
export function tellUse({ state, decision }: Ended): string | undefined {
  if (decision?.verdict !== "approve" && decision?.verdict !== "approve_edited") return undefined;
  if (state === "expired") return words.madeNever;
  return state === "used" ? words.made : words.notMade;
}

/** Of what nobody decided. */
export function tellUndecided({ expires_at }: Ended, outcome: Exclude<Outcome, "decided">): string {
  return outcome === "withdrawn" ? words.withdrawn : fill(words.nobody, { time: tellClock(Date.parse(expires_at)) });
}

/** As one sentence, for screen readers. */
export function tellEnding(approval: Ended, me: string | undefined, now: number): string {
  const outcome = outcomeOf(approval, now);
  if (outcome !== "decided") return tellUndecided(approval, outcome);
  const told = verdictText(approval).replace("{by}", whoDecided(approval, me));
  return [told, tellUse(approval)].filter(Boolean).join(" ");
}

/** Undefined where no answer of one's own was pressed. */
export function tellLate({ kind, earlierByMs, wasPressed }: Ending): string | undefined {
  if (kind === "mine" || !wasPressed) return undefined;
  return earlierByMs === undefined ? words.notUsed : fill(words.earlier, { left: tellDuration(earlierByMs) });
}

/** As a list has room for it. */
export function tellShort(approval: Ended, me: string | undefined, now: number): string {
  const { decision } = approval;
  const outcome = outcomeOf(approval, now);
  if (outcome !== "decided" || decision === undefined) {
    return outcome === "withdrawn" ? words.shortWithdrawn : words.shortExpired;
  }
  const by = whoDecided(approval, me);
  return fill(words.shortBy, { verdict: words.short[decision.verdict], by: by === words.you ? by.toLowerCase() : by });
}

type Origin = Pick<ShownApproval, "call_id" | "agent_id" | "caller" | "chain" | "may_decide">;

const runOf = ({ agent_id, caller, chain }: Origin): string => JSON.stringify([agent_id, caller, chain]);

/** Those that wait which came the same way, and of which one may decide. */
export const findOthersOfRun = <Each extends Origin>(waiting: readonly Each[], one: Origin): Each[] =>
  one.agent_id === null
    ? []
    : waiting.filter((each) => each.call_id !== one.call_id && each.may_decide && runOf(each) === runOf(one));

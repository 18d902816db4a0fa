// The bounds of one call (CFG-8): model turns, tool calls, tokens, wall clock. It counts and names the bound that is reached;
// what then becomes of the call is the loop's. The clock itself is a signal, whose reason is made here too, so that every
// bound reads alike.
import { tokenKinds, type TokenKind } from "../../crds/metric-names.ts";
import type { LoopLimits, RequestSettings } from "../../crds/run-config.ts";
import { CallError } from "../call-error.ts";
import type { TokenUsage } from "../model/types.ts";

/** Each turn reads its conversation again: counted in full, one that is cached would use up the budget by its length alone. */
const cachedWeight = 0.1;
const weights: Record<TokenKind, number> = {
  input: 1,
  output: 1,
  cache_write: 1,
  cache_read: cachedWeight,
  cache_hit: cachedWeight,
  // Part of output.
  reasoning: 0,
};

/** Of the wall clock, what is kept for an answer; no tool begins in it. */
const answerShare = 0.1;
const maxAnswerMs = 60_000;

/** A bound as results name it (AGT-13). */
export type BoundName = "max_steps" | "tool_calls" | "total_tokens" | "wall_clock";

/** A bound of the call was reached. The message names it, its value, what was done until then and the field that sets it. */
export class BudgetReached extends CallError {
  override readonly name = "BudgetReached";
  readonly bound: BoundName;
  /** The bound in words: `60 model turns`. */
  readonly amount: string;
  /** The field of the agent's spec. */
  readonly field: string;

  constructor({ bound, amount, field }: { bound: BoundName; amount: string; field: string }, done: string) {
    super(
      `the call reached its limit of ${amount}, after ${done}: raise ${field} of the agent, or ask for less in one message`,
    );
    this.bound = bound;
    this.amount = amount;
    this.field = field;
  }
}

/** What a call has cost so far. */
export interface Spent {
  /** Model turns that were begun. */
  steps: number;
  /** Summed over all turns, those that condense the history too. */
  usage: TokenUsage;
}

export interface Budget {
  /** Counts a model turn. */
  takeStep(): void;
  /** Begins a batch of tool calls, all or none: what keeps them from being made, if anything does. */
  takeToolCalls(count: number): BudgetReached | undefined;
  /** Counts a turn's tokens. */
  addTokens(usage: TokenUsage): void;
  /** The reason a call's signal aborts with at its deadline. */
  renderTimeUp(): Error;
  spent(): Spent;
}

/** What a budget asks of a call's time. */
export interface TimeOfCall {
  /** Until its deadline. */
  leftMs: () => number;
  /** In which people were asked, and which does not count. */
  pausedMs: () => number;
}

/** A fresh budget for one call. */
export function createBudget(
  limits: LoopLimits,
  { maxSteps }: Pick<RequestSettings, "maxSteps">,
  { leftMs, pausedMs }: TimeOfCall = { leftMs: () => Infinity, pausedMs: () => 0 },
): Budget {
  let steps = 0;
  let toolCalls = 0;
  let tokens = 0;
  const usage: TokenUsage = {};
  const answerMs = Math.min(maxAnswerMs, limits.wallClockMs * answerShare);
  const bounds = {
    max_steps: ["request.maxSteps", `${maxSteps} model turns`],
    tool_calls: ["limits.toolCalls", `${limits.toolCalls} tool calls`],
    total_tokens: ["limits.totalTokens", `${limits.totalTokens} tokens`],
    wall_clock: ["limits.wallClock", `${renderSeconds(limits.wallClockMs)} of wall clock time`],
  } as const;
  const reached = (bound: BoundName) => {
    const [field, amount] = bounds[bound];
    const done = `${steps} model turns, ${toolCalls} tool calls and ${Math.round(tokens)} tokens`;
    const pausedSeconds = Math.round(pausedMs() / 1_000);
    const paused = pausedSeconds === 0 ? "" : `, not counting ${pausedSeconds} s in which people were asked`;
    return new BudgetReached({ bound, amount, field }, `${done}${bound === "wall_clock" ? paused : ""}`);
  };
  return {
    takeStep: () => void (steps += 1),
    takeToolCalls(count) {
      // Without a turn, tokens or time left nobody would read the results: better not to act at all.
      if (steps >= maxSteps) return reached("max_steps");
      if (toolCalls + count > limits.toolCalls) return reached("tool_calls");
      if (tokens > limits.totalTokens) return reached("total_tokens");
      if (leftMs() <= answerMs) return reached("wall_clock");
      toolCalls += count;
      return undefined;
    },
    addTokens(turn) {
      for (const kind of tokenKinds) {
        const count = readCount(turn[kind]);
        if (count > 0) usage[kind] = (usage[kind] ?? 0) + count;
        tokens += count * weights[kind];
      }
    },
    renderTimeUp: () => reached("wall_clock"),
    spent: () => ({ steps, usage: { ...usage } }),
  };
}

/** All tokens of a turn. `reasoning` is part of `output`, so it is not added (MET-3). */
export const sumTokens = ({ input, output, cache_read, cache_write, cache_hit }: TokenUsage): number =>
  [input, output, cache_read, cache_write, cache_hit].reduce<number>((sum, count) => sum + readCount(count), 0);

/** What is no count is none. */
const readCount = (count: number | undefined): number =>
  count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;

const renderSeconds = (ms: number) => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`);

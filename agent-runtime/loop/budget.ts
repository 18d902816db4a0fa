// The bounds of one call (CFG-8): model turns, tool calls, tokens, wall clock. It counts and refuses; the clock itself is a
// signal, whose reason is made here too, so that every bound reads alike.
import { tokenKinds } from "../../crds/metric-names.ts";
import type { LoopLimits, RequestSettings } from "../../crds/run-config.ts";
import { CallFault } from "../call-fault.ts";
import type { TokenUsage } from "../model/types.ts";

/** A bound of the call was reached. The message names it, its value, what was done until then and the field that sets it. */
class BudgetReached extends CallFault {
  override readonly name = "BudgetReached";
  /** The field of the agent's spec. */
  readonly field: string;

  constructor(field: string, bound: string, reached: string) {
    super(
      `the call reached its limit of ${bound}, after ${reached}: ` +
        `raise ${field} of the agent, or ask for less in one message`,
    );
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
  /** Begins a model turn. Throws BudgetReached when request.maxSteps turns were made. */
  takeStep(): void;
  /** Begins a batch of tool calls. Throws BudgetReached when it would pass limits.toolCalls, or no turn is left for its results. */
  takeToolCalls(count: number): void;
  /** Counts a turn's tokens. Throws BudgetReached when the sum has passed limits.totalTokens. */
  addTokens(usage: TokenUsage): void;
  /** The reason a call's signal aborts with at its deadline. */
  renderTimeUp(): Error;
  spent(): Spent;
}

/** A fresh budget for one call. */
export function createBudget(limits: LoopLimits, request: Pick<RequestSettings, "maxSteps">): Budget {
  let steps = 0;
  let toolCalls = 0;
  let tokens = 0;
  const usage: TokenUsage = {};
  const reached = (field: string, bound: string) =>
    new BudgetReached(field, bound, `${steps} model turns, ${toolCalls} tool calls and ${tokens} tokens`);
  const stepsReached = () => reached("request.maxSteps", `${request.maxSteps} model turns`);
  return {
    takeStep() {
      if (steps >= request.maxSteps) throw stepsReached();
      steps += 1;
    },
    takeToolCalls(count) {
      // Without a turn left nobody would read the results: better not to act at all.
      if (steps >= request.maxSteps) throw stepsReached();
      if (toolCalls + count > limits.toolCalls) throw reached("limits.toolCalls", `${limits.toolCalls} tool calls`);
      toolCalls += count;
    },
    addTokens(turn) {
      for (const kind of tokenKinds) if (isCount(turn[kind])) usage[kind] = (usage[kind] ?? 0) + turn[kind];
      tokens += sumTokens(turn);
      if (tokens > limits.totalTokens) throw reached("limits.totalTokens", `${limits.totalTokens} tokens`);
    },
    renderTimeUp: () => reached("limits.wallClock", `${renderSeconds(limits.wallClockMs)} of wall clock time`),
    spent: () => ({ steps, usage: { ...usage } }),
  };
}

/** All tokens of a turn. `reasoning` is part of `output`, so it is not added (MET-3). What is no count is none. */
export function sumTokens({ input, output, cache_read, cache_write, cache_hit }: TokenUsage): number {
  const counts = [input, output, cache_read, cache_write, cache_hit];
  return counts.reduce<number>((sum, count) => (isCount(count) ? sum + count : sum), 0);
}

const isCount = (count: number | undefined): count is number =>
  count !== undefined && Number.isFinite(count) && count > 0;

const renderSeconds = (ms: number) => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`);

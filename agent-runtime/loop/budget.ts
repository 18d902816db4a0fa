// The bounds of one call (CFG-8): model turns, tool calls, tokens. It counts and refuses; the wall clock is a signal, whose
// reason is made here too, so that every bound reads alike.
import type { LoopLimits, RequestSettings } from "../../crds/run-config.ts";
import { CallFault } from "../call-fault.ts";
import type { TokenUsage } from "../model/types.ts";

/** A bound of the call was reached. The message names it, its value and the field that sets it. */
class BudgetReached extends CallFault {
  override readonly name = "BudgetReached";
  /** The field of the agent's spec. */
  readonly field: string;

  constructor(field: string, bound: string) {
    super(`the call reached its limit of ${bound}: raise ${field} of the agent, or ask for less in one message`);
    this.field = field;
  }
}

export interface Budget {
  /** Begins a model turn. Throws BudgetReached when request.maxSteps turns were made. */
  takeStep(): void;
  /** Begins a batch of tool calls. Throws BudgetReached when it would pass limits.toolCalls, or no turn is left for its results. */
  takeToolCalls(count: number): void;
  /** Counts a turn's tokens. Throws BudgetReached when the sum has passed limits.totalTokens. */
  addTokens(usage: TokenUsage): void;
}

/** A fresh budget for one call. */
export function createBudget(limits: LoopLimits, request: Pick<RequestSettings, "maxSteps">): Budget {
  let steps = 0;
  let toolCalls = 0;
  let tokens = 0;
  const stepsReached = () => new BudgetReached("request.maxSteps", `${request.maxSteps} model turns`);
  return {
    takeStep() {
      if (steps >= request.maxSteps) throw stepsReached();
      steps += 1;
    },
    takeToolCalls(count) {
      // Without a turn left nobody would read the results: better not to act at all.
      if (steps >= request.maxSteps) throw stepsReached();
      if (toolCalls + count > limits.toolCalls) {
        throw new BudgetReached("limits.toolCalls", `${limits.toolCalls} tool calls`);
      }
      toolCalls += count;
    },
    addTokens(usage) {
      tokens += countTokens(usage);
      if (tokens > limits.totalTokens) throw new BudgetReached("limits.totalTokens", `${limits.totalTokens} tokens`);
    },
  };
}

/** `reasoning` is part of `output`, so it is not added (MET-3). */
function countTokens(usage: TokenUsage): number {
  const { input = 0, output = 0, cache_read = 0, cache_write = 0, cache_hit = 0 } = usage;
  return input + output + cache_read + cache_write + cache_hit;
}

/** The reason a call's signal aborts with at its deadline. */
export const wallClockReached = (wallClockMs: number) =>
  new BudgetReached("limits.wallClock", `${renderSeconds(wallClockMs)} of wall clock time`);

const renderSeconds = (ms: number) => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`);

import { describe, expect, test } from "vitest";
import { createBudget } from "./budget.ts";

const limits = { wallClockMs: 1, toolCalls: 3, totalTokens: 100, toolResultBytes: 1, queuedCalls: 1 };

describe("CFG-8 a budget", () => {
  test("allows maxSteps turns and not one more", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    budget.takeStep();
    expect(() => budget.takeStep()).toThrow(
      "2 model turns, after 2 model turns, 0 tool calls and 0 tokens: raise request.maxSteps",
    );
  });

  test("counts each token once: reasoning is part of output", () => {
    const budget = createBudget(limits, { maxSteps: 9 });
    budget.addTokens({ input: 20, output: 20, cache_read: 20, cache_write: 20, cache_hit: 20, reasoning: 20 });
    expect(() => budget.addTokens({ output: 1 })).toThrow(
      "100 tokens, after 0 model turns, 0 tool calls and 101 tokens: raise limits.totalTokens",
    );
  });

  test("refuses tool calls as a batch, and when no turn is left to read their results", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    budget.takeToolCalls(2);
    expect(() => budget.takeToolCalls(2)).toThrow(
      "3 tool calls, after 1 model turns, 2 tool calls and 0 tokens: raise limits.toolCalls",
    );
    budget.takeToolCalls(1);
    budget.takeStep();
    expect(() => budget.takeToolCalls(1)).toThrow("raise request.maxSteps");
  });

  test("says the wall clock in minutes where it can", () => {
    const timeUp = (wallClockMs: number) =>
      createBudget({ ...limits, wallClockMs }, { maxSteps: 1 }).renderTimeUp().message;
    expect(timeUp(1_800_000)).toContain("30 min of wall clock time, after 0 model turns");
    expect(timeUp(1_800_000)).toContain("raise limits.wallClock of the agent");
    expect(timeUp(90_500)).toContain("90.5 s");
  });

  test("takes a count that is none for none", () => {
    const budget = createBudget(limits, { maxSteps: 1 });
    budget.addTokens({ input: Number.NaN, output: -1_000, cache_read: Number.POSITIVE_INFINITY });
    budget.addTokens({ input: 100 });
    expect(() => budget.addTokens({ input: 1 })).toThrow("101 tokens");
  });
});

import { describe, expect, test } from "vitest";
import { createBudget, wallClockReached } from "./budget.ts";

const limits = { wallClockMs: 1, toolCalls: 3, totalTokens: 100, toolResultBytes: 1, queuedCalls: 1 };

describe("CFG-8 a budget", () => {
  test("allows maxSteps turns and not one more", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    budget.takeStep();
    expect(() => budget.takeStep()).toThrow("2 model turns: raise request.maxSteps");
  });

  test("counts each token once: reasoning is part of output", () => {
    const budget = createBudget(limits, { maxSteps: 9 });
    budget.addTokens({ input: 20, output: 20, cache_read: 20, cache_write: 20, cache_hit: 20, reasoning: 20 });
    expect(() => budget.addTokens({ output: 1 })).toThrow("100 tokens: raise limits.totalTokens");
  });

  test("refuses tool calls as a batch, and when no turn is left to read their results", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    budget.takeToolCalls(2);
    expect(() => budget.takeToolCalls(2)).toThrow("3 tool calls: raise limits.toolCalls");
    budget.takeToolCalls(1);
    budget.takeStep();
    expect(() => budget.takeToolCalls(1)).toThrow("raise request.maxSteps");
  });

  test("says the wall clock in minutes where it can", () => {
    expect(wallClockReached(1_800_000).message).toContain("30 min of wall clock time: raise limits.wallClock");
    expect(wallClockReached(90_500).message).toContain("90.5 s");
  });
});

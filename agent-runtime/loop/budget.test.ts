import { describe, expect, test } from "vitest";
import { createBudget } from "./budget.ts";

const limits = { wallClockMs: 1, toolCalls: 3, totalTokens: 100, toolResultBytes: 1, queuedCalls: 1 };

describe("CFG-8 a budget", () => {
  test("allows tools while one of maxSteps turns is left to read their results", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    expect(budget.takeToolCalls(1)).toBeUndefined();
    budget.takeStep();
    expect(budget.takeToolCalls(1)).toMatchObject({
      bound: "max_steps",
      message: expect.stringContaining(
        "2 model turns, after 2 model turns, 1 tool calls and 0 tokens: raise request.maxSteps",
      ),
    });
  });

  test("weighs each token once, a cached one a tenth; reasoning is part of output", () => {
    const budget = createBudget(limits, { maxSteps: 9 });
    budget.addTokens({ input: 20, output: 20, cache_write: 20, cache_read: 200, cache_hit: 200, reasoning: 20 });
    expect(budget.takeToolCalls(1)).toBeUndefined();
    budget.addTokens({ output: 1 });
    expect(budget.takeToolCalls(1)?.message).toContain(
      "100 tokens, after 0 model turns, 1 tool calls and 101 tokens: raise limits.totalTokens",
    );
  });

  test("tells what was spent by kind, cached tokens whole", () => {
    const budget = createBudget(limits, { maxSteps: 9 });
    budget.takeStep();
    budget.addTokens({ input: 1, cache_read: 200 });
    budget.addTokens({ input: 2, output: 3, reasoning: 1 });
    expect(budget.spent()).toEqual({ steps: 1, usage: { input: 3, output: 3, cache_read: 200, reasoning: 1 } });
  });

  test.each([
    [100_000, 10_000],
    [3_600_000, 60_000],
  ])("of a wall clock of %i ms it keeps the last %i for an answer", (wallClockMs, keptMs) => {
    let timeLeftMs = keptMs + 1;
    const budget = createBudget(
      { ...limits, wallClockMs },
      { maxSteps: 9 },
      {
        leftMs: () => timeLeftMs,
        pausedMs: () => 0,
      },
    );
    expect(budget.takeToolCalls(1)).toBeUndefined();
    timeLeftMs = keptMs;
    expect(budget.takeToolCalls(1)).toMatchObject({ bound: "wall_clock", field: "limits.wallClock" });
  });

  test("refuses tool calls as a batch", () => {
    const budget = createBudget(limits, { maxSteps: 2 });
    budget.takeStep();
    expect(budget.takeToolCalls(2)).toBeUndefined();
    expect(budget.takeToolCalls(2)?.message).toContain(
      "3 tool calls, after 1 model turns, 2 tool calls and 0 tokens: raise limits.toolCalls",
    );
    expect(budget.takeToolCalls(1)).toBeUndefined();
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
    budget.addTokens({ input: 101 });
    expect(budget.takeToolCalls(1)?.message).toContain("and 101 tokens");
  });
});

import { describe, expect, test } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import type { TokenUsage } from "../model/types.ts";
import type { HistoryEntry } from "../session/transcript.ts";
import { calls, result, user } from "../testing/histories.ts";
import { measureContext, observeUsage } from "./context-size.ts";

const prelude = { system: "x".repeat(400), tools: [] };
const answer = (contextTokens?: number): HistoryEntry => ({
  role: "assistant",
  text: "x".repeat(40),
  toolCalls: [],
  ...defined({ contextTokens }),
});
const long = user("x".repeat(400));

describe("CFG-8 the size of a context", () => {
  test("is what the provider counted last, and an estimate of what came since", () => {
    expect(measureContext([long, answer(5_000), user("x".repeat(40))], prelude)).toBe(5_010);
    expect(measureContext([long, answer(5_000), long, answer(7_000), calls("1"), result("1")], prelude)).toBeLessThan(
      7_050,
    );
  });

  test("is an estimate of everything where nothing was counted, and after a summary", () => {
    const uncounted = measureContext([long, answer(), user("b")], prelude);
    expect(uncounted).toBeGreaterThan(200);
    expect(uncounted).toBeLessThan(230);
    const condensed = measureContext(
      [long, answer(5_000), user("b"), { role: "summary", covers: 2, text: "s" }],
      prelude,
    );
    expect(condensed).toBeLessThan(150);
  });

  test("counts bytes, not characters, and images as what vendors take for them", () => {
    expect(measureContext([user("語".repeat(400))], prelude)).toBeGreaterThan(measureContext([long], prelude) + 190);
    const image: HistoryEntry = {
      role: "user",
      content: [{ type: "image", data: "x".repeat(10), mimeType: "image/png" }],
    };
    expect(measureContext([image], prelude)).toBeGreaterThan(1_600);
  });
});

describe("CFG-8 the usage of a turn", () => {
  const request = { ...prelude, messages: [long] };
  const observe = (usage: TokenUsage) => observeUsage(request, { text: "x".repeat(400), toolCalls: [], usage });

  test("is the provider's, or an estimate when that counts nothing", () => {
    expect(observe({ input: 1 })).toEqual({ input: 1 });
    for (const none of [{}, { input: 0 }, { input: Number.NaN, output: -5 }]) {
      expect(observe(none)).toEqual({ input: 201, output: 101 });
    }
  });
});

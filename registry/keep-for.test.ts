import { describe, expect, it } from "vitest";
import { keepFor } from "./keep-for.ts";

describe("an answer that is kept for a while", () => {
  it("is made once until the time is over, and anew then", () => {
    let [nowMs, made] = [0, 0];
    const kept = keepFor(1_000, () => (made += 1), { now: () => nowMs });
    expect([kept.get(), kept.get()]).toEqual([1, 1]);
    nowMs = 999;
    expect(kept.get()).toBe(1);
    nowMs = 1_000;
    expect([kept.get(), kept.get()]).toEqual([2, 2]);
  });

  it("is made anew once it is to be forgotten", () => {
    let made = 0;
    const kept = keepFor(1_000, () => (made += 1), { now: () => 0 });
    kept.get();
    kept.forget();
    expect([kept.get(), kept.get()]).toEqual([2, 2]);
  });
});

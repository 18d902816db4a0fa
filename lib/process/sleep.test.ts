import { describe, expect, it } from "vitest";
import { sleepWith } from "./sleep.ts";

/** One timer that fires when told. */
function timer() {
  const state = { fire: () => undefined as void, started: 0, cancelled: 0 };
  const start = (delayMs: number, run: () => void) => {
    state.started = delayMs;
    state.fire = run;
    return () => void (state.cancelled += 1);
  };
  return { state, start };
}

describe("a sleep", () => {
  it("ends with its timer, and a later abort changes nothing", async () => {
    const { state, start } = timer();
    const abort = new AbortController();
    const slept = sleepWith(start, 70, abort.signal);
    expect(state.started).toBe(70);
    state.fire();
    abort.abort(new Error("too late"));
    await expect(slept).resolves.toBeUndefined();
    expect(state.cancelled).toBe(0);
  });

  it("ends at once with the signal's reason, and cancels its timer", async () => {
    const { state, start } = timer();
    const abort = new AbortController();
    const slept = sleepWith(start, 70, abort.signal);
    abort.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    expect(state.cancelled).toBe(1);
  });

  it("does not begin after the abort", async () => {
    const { state, start } = timer();
    await expect(sleepWith(start, 70, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(state.started).toBe(0);
  });
});

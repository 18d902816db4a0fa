import { describe, expect, it, vi } from "vitest";
import { settledWithin, sleep, systemClock } from "./clock.ts";
import { ManualClock } from "./testing/manual-clock.ts";

describe("a sleep", () => {
  it("ends with its timer, and a later abort changes nothing", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const slept = sleep(clock, 70, abort.signal);
    expect(clock.pending).toEqual([70]);
    await clock.advance(70);
    abort.abort(new Error("too late"));
    await expect(slept).resolves.toBeUndefined();
  });

  it("ends at once with the signal's reason, and cancels its timer", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const slept = sleep(clock, 70, abort.signal);
    abort.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    expect(clock.pending).toEqual([]);
  });

  it("does not begin after the abort", async () => {
    const clock = new ManualClock();
    await expect(sleep(clock, 70, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(clock.pending).toEqual([]);
  });
});

describe("waiting for work that may be late", () => {
  it.each([
    ["done", () => Promise.resolve(), true],
    ["failed", () => Promise.reject(new Error("x")), true],
    ["not settled", () => new Promise<never>(() => {}), false],
  ])("tells that it is %s, and leaves no timer", async (_state, work, inTime) => {
    const clock = new ManualClock();
    const answer = settledWithin(work(), 70, clock);
    await clock.advance(70);
    expect(await answer).toBe(inTime);
    expect(clock.pending).toEqual([]);
  });
});

describe("the system's clock", () => {
  it("measures by a time that is not the wall clock's", () => {
    expect(Math.abs(systemClock.wallNow() - Date.now())).toBeLessThan(60_000);
    expect(systemClock.now()).toBeLessThan(Date.UTC(2000, 0, 1));
  });

  it("does not fire a timer at once that is too long for Node", () => {
    vi.useFakeTimers();
    const run = vi.fn<() => void>();
    systemClock.schedule(2 ** 31, run);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect(run).not.toHaveBeenCalled();
  });
});

import { describe, expect, it } from "vitest";
import { Limiter } from "./limiter.ts";
import { createDecision, type AppliedLimit } from "./policy.ts";
import { createChance } from "./reference.fixture.ts";
import { WindowCounts } from "./window-counts.ts";
import type { Action } from "./rules.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function start(limit: Partial<AppliedLimit>, options: { maxKeys?: number; startMs?: number } = {}) {
  const { startMs = 0, ...others } = options;
  const clock = { nowMs: startMs };
  const limiter = new Limiter({ now: () => clock.nowMs, ...others });
  const decide = (action: Action = "allow") => createDecision({ action, limits: [{ rule: "busy", ...limit }] });
  const admit = (call: { caller?: string; agent?: string } = {}, action: Action = "allow") =>
    limiter.admit(decide(action), { caller: "ann", agent: "clerk", ...call });
  return { clock, limiter, admit, admits: (...args: Parameters<typeof admit>) => admit(...args).limited === undefined };
}

describe("MGM-5 a limit", () => {
  it("lets so many calls through and denies the next, with the time when it is allowed again", () => {
    const { clock, admit, admits } = start({ perMinute: 3 });
    expect([admits(), admits(), admits()]).toEqual([true, true, true]);
    expect(admit()).toMatchObject({
      action: "denyContinue",
      reason: "rule busy allows 3 calls a minute by caller; try again in 61 s",
      limited: { rule: "busy", retryAfterMs: 61_000 },
    });
    clock.nowMs += 60_999;
    expect(admit().limited).toEqual({ rule: "busy", retryAfterMs: 1 });
    clock.nowMs += 1;
    expect([admits(), admits(), admits(), admits()]).toEqual([true, true, true, false]);
  });

  it("slides: each call counts for a minute of its own", () => {
    const { clock, admit, admits } = start({ perMinute: 2 });
    expect(admits()).toBe(true);
    clock.nowMs = 30_000;
    expect(admits()).toBe(true);
    clock.nowMs = 45_000;
    expect(admit().limited?.retryAfterMs).toBe(16_000);
    clock.nowMs = 61_000;
    expect(admits()).toBe(true);
    expect(admit().limited?.retryAfterMs).toBe(30_000);
  });

  it("holds in every window of its length, and lets calls through again within a slot of it", () => {
    const chance = createChance(5);
    const { clock, admit } = start({ perMinute: 10 }, { startMs: 12_345 });
    const admitted: number[] = [];
    let [most, fewestAtRefusal] = [0, Infinity];
    for (let call = 0; call < 5_000; call += 1) {
      clock.nowMs += Math.floor(chance() * 3_000);
      const { limited } = admit();
      const within = (windowMs: number) => admitted.filter((atMs) => atMs > clock.nowMs - windowMs).length;
      if (limited !== undefined) {
        fewestAtRefusal = Math.min(fewestAtRefusal, within(minuteMs + 1_000));
        continue;
      }
      admitted.push(clock.nowMs);
      most = Math.max(most, within(minuteMs));
    }
    expect([most, fewestAtRefusal]).toEqual([10, 10]);
    expect(admitted.length).toBeGreaterThan(500);
  });

  it("that says when is right: not a millisecond before, and then indeed", () => {
    const chance = createChance(6);
    const { clock, admit, admits } = start({ perMinute: 4 }, { startMs: 777 });
    for (let round = 0; round < 300; round += 1) {
      clock.nowMs += Math.floor(chance() * 20_000);
      const { limited } = admit();
      if (limited === undefined) continue;
      clock.nowMs += limited.retryAfterMs - 1;
      expect(admits()).toBe(false);
      clock.nowMs += 1;
      expect(admits()).toBe(true);
    }
  });

  it("of a day counts a day", () => {
    const { clock, admits } = start({ perDay: 1 });
    expect([admits(), admits()]).toEqual([true, false]);
    clock.nowMs = dayMs;
    expect(admits()).toBe(false);
    clock.nowMs = dayMs + 24 * minuteMs;
    expect(admits()).toBe(true);
  });

  it("of both counts both, and nothing for what one of them refuses", () => {
    const { clock, admit, admits } = start({ perMinute: 1, perDay: 2 });
    expect([admits(), admits()]).toEqual([true, false]);
    clock.nowMs = 61_000;
    expect(admits()).toBe(true);
    clock.nowMs = 200_000;
    expect(admit()).toMatchObject({ reason: expect.stringContaining("2 calls a day") });
    clock.nowMs = dayMs + 24 * minuteMs;
    // Nothing that was refused counts by the minute.
    expect([admits(), admits()]).toEqual([true, false]);
  });

  it("is each caller's own, or each agent's", () => {
    const byCaller = start({ perMinute: 1 });
    expect([byCaller.admits(), byCaller.admits({ agent: "other" }), byCaller.admits({ caller: "bob" })]).toEqual([
      true,
      false,
      true,
    ]);
    const byAgent = start({ perMinute: 1, per: "agent" });
    expect([byAgent.admits(), byAgent.admits({ agent: "other" }), byAgent.admits({ caller: "bob" })]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("counts what is asked about, and nothing that is denied anyway", () => {
    const { admits } = start({ perMinute: 1 });
    expect(admits({}, "denyAbort")).toBe(true);
    expect(admits({}, "ask")).toBe(true);
    expect(admits({}, "ask")).toBe(false);
  });

  it("takes over into another policy by the rule's name", () => {
    const { limiter, admits } = start({ perMinute: 1 });
    expect(admits()).toBe(true);
    const rewritten = createDecision({ action: "ask", limits: [{ rule: "busy", perMinute: 2 }] });
    const call = { caller: "ann", agent: "clerk" };
    expect(limiter.admit(rewritten, call).limited).toBeUndefined();
    expect(limiter.admit(rewritten, call).limited).toBeDefined();
  });

  it("forgets nobody to make room: one caller more than can be counted waits for the first to be over", () => {
    const { clock, admit, admits } = start({ perMinute: 1 }, { maxKeys: 3 });
    for (const caller of ["a", "b", "c"]) {
      expect(admits({ caller })).toBe(true);
      clock.nowMs += 1_000;
    }
    expect(admit({ caller: "d" })).toMatchObject({
      action: "denyContinue",
      reason: "rule busy has a limit, and no more callers or agents can be counted now; try again in 58 s",
      limited: { retryAfterMs: 58_000 },
    });
    expect(admits({ caller: "a" })).toBe(false);
    clock.nowMs += 58_000;
    expect(admits({ caller: "d" })).toBe(true);
    expect(admits({ caller: "b" })).toBe(false);
  });
});

describe("what is kept of counts", () => {
  it("is nothing that is over", () => {
    const counts = new WindowCounts({ windowMs: minuteMs, maxKeys: 1_000 });
    for (let key = 0; key < 1_000; key += 1) counts.add(`k${key}`, 0);
    expect(counts.size).toBe(1_000);
    expect(counts.waitMs("new", 1, 60_999)).toBe(1);
    expect(counts.waitMs("new", 1, 61_000)).toBe(0);
    expect(counts.size).toBe(0);
  });

  it("is right where time stands still or is said to go backwards", () => {
    const counts = new WindowCounts({ windowMs: minuteMs, maxKeys: 1 });
    counts.add("a", 10_000);
    counts.add("a", 5_000);
    expect(counts.waitMs("a", 3, 5_000)).toBe(0);
    expect(counts.waitMs("a", 2, 10_000)).toBe(61_000);
  });
});

// What is kept of calls in flight and of those that have ended: how many, in which order, and as they stood.
import { describe, expect, test } from "vitest";
import { maxEndedRuns } from "../crds/runs.ts";
import { ManualClock } from "../lib/process/testing/manual-clock.ts";
import { createCalls } from "./calls.ts";

const deadline = { afterMs: 60_000, reason: () => new Error("time is up") };
const caller = new AbortController().signal;

describe("MGM-2 the calls of an agent", () => {
  test("are told as they stand now, and once ended as they stood then", async () => {
    const clock = new ManualClock();
    const calls = createCalls(clock);
    const facts = { caller: "lea", steps: 0, tokens: 0 };
    const call = calls.begin({ caller, deadline, describe: () => ({ ...facts }) });
    facts.steps = 1;
    const [running] = calls.list();
    expect(running).toMatchObject({ caller: "lea", steps: 1, tokens: 0 });
    expect(calls.listEnded()).toEqual([]);
    Object.assign(facts, { steps: 2, tokens: 300 });
    await clock.advance(4_000);
    call.done("cancelled");
    Object.assign(facts, { steps: 9, tokens: 900 });
    expect(calls.list()).toEqual([]);
    const [ended] = calls.listEnded();
    expect(ended).toMatchObject({ id: running?.id, outcome: "cancelled", caller: "lea", steps: 2, tokens: 300 });
    expect(Date.parse(ended?.endedAt ?? "") - Date.parse(ended?.startedAt ?? "")).toBe(4_000);
  });

  test("that have ended are the last 50, the newest first", () => {
    const calls = createCalls(new ManualClock());
    for (let steps = 0; steps <= maxEndedRuns; steps += 1) {
      calls.begin({ caller, deadline, describe: () => ({ steps, tokens: 0 }) }).done("ok");
      expect(calls.listEnded()).toHaveLength(Math.min(steps + 1, maxEndedRuns));
    }
    expect(calls.listEnded().map(({ steps }) => steps)).toEqual(Array.from({ length: 50 }, (_, n) => 50 - n));
  });
});

// How often agents are asked how many calls they work on, by a clock that stands still, and what is told of the answers.
import { expect, onTestFinished, test } from "vitest";
import { ManualClock, settle } from "../../../lib/process/testing/manual-clock.ts";
import { sampleAgent } from "../../../plan/testing/resources.ts";
import { createTestState } from "../testing/test-state.ts";
import { createRunCounts, maxCountedAgents } from "./run-counts.ts";

function start(count = 2) {
  const clock = new ManualClock();
  const state = createTestState(Array.from({ length: count }, (_, n) => sampleAgent(`a${n}`)));
  const asked: string[] = [];
  const running = new Map<string, number>();
  const waiting: PromiseWithResolvers<void>[] = [];
  let holds = false;
  const countRuns = async (agent: string) => {
    asked.push(agent);
    if (holds) {
      const held = Promise.withResolvers<void>();
      waiting.push(held);
      await held.promise;
    }
    const runs = running.get(agent) ?? 0;
    if (runs < 0) throw new Error("it does not answer");
    return runs;
  };
  const counts = createRunCounts({ admin: { countRuns }, state, clock });
  onTestFinished(() => counts.close());
  let told = 0;
  return {
    clock,
    state,
    running,
    counts,
    hold: () => (holds = true),
    release: () => waiting.splice(0).forEach(({ resolve }) => resolve()),
    follow: () => counts.follow(() => void (told += 1)),
    takeAsked: () => asked.splice(0),
    takeTold: () => [told, (told = 0)][0],
  };
}

test("agents are asked only while somebody follows, each at most every 10 s", async () => {
  const { clock, counts, follow, takeAsked } = start();
  await clock.advance(60_000);
  expect(takeAsked()).toEqual([]);
  const stop = follow();
  await settle();
  expect(takeAsked()).toEqual(["a0", "a1"]);
  expect(counts.get("a0")).toBe(0);
  await clock.advance(9_999);
  expect(takeAsked()).toEqual([]);
  await clock.advance(1);
  expect(takeAsked()).toEqual(["a0", "a1"]);
  stop();
  await clock.advance(60_000);
  expect(takeAsked()).toEqual([]);
  expect(counts.get("a0")).toBeUndefined();
});

test("a number that is another is told, together with others of that moment, and the same is not", async () => {
  const { clock, counts, running, follow, takeTold } = start();
  follow();
  await clock.advance(2_000);
  expect(takeTold()).toBe(1);
  await clock.advance(20_000);
  expect(takeTold()).toBe(0);
  running.set("a0", 2).set("a1", 1);
  await clock.advance(11_000);
  expect(takeTold()).toBe(1);
  expect([counts.get("a0"), counts.get("a1")]).toEqual([2, 1]);
  running.set("a0", -1);
  await clock.advance(11_000);
  expect(takeTold()).toBe(1);
  expect(counts.get("a0")).toBeUndefined();
});

test("agents that come are asked, and those that go no more", async () => {
  const { clock, state, follow, takeAsked } = start();
  follow();
  await settle();
  takeAsked();
  state.put(sampleAgent("new"));
  await settle();
  expect(takeAsked()).toEqual(["new"]);
  state.remove("a0");
  await clock.advance(10_000);
  expect(takeAsked().toSorted()).toEqual(["a1", "new"]);
});

test("16 are asked at once", async () => {
  const { clock, hold, release, follow, takeAsked } = start(40);
  hold();
  follow();
  await clock.advance(1_000);
  expect(takeAsked()).toHaveLength(16);
  release();
  await settle();
  expect(takeAsked()).toHaveLength(16);
});

test.each([maxCountedAgents, maxCountedAgents + 1])(`of %i agents ${maxCountedAgents} are asked`, async (count) => {
  const { clock, follow, takeAsked } = start(count);
  follow();
  await clock.advance(5_000);
  expect(new Set(takeAsked()).size).toBe(maxCountedAgents);
});

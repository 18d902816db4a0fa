// What went through in the last 24 hours (DSC-11), by a clock that stands still: over the borders of hours, backwards, and at the limits.
import { expect, test } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { CallTrend, maxTrendAgents, maxTrendTools } from "./call-trend.ts";
import { DaySum, findMedianMs, HourlySeries, HourlySum } from "./hourly-series.ts";

const hourMs = 3_600_000;
const everything = { agent: () => true, server: () => true };
const pay = { server: "bank", tool: "pay", success: true, durationMs: 100 };

function start() {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12, 30));
  const trend = new CallTrend(clock);
  return { clock, trend, view: () => trend.view(everything) };
}

const last = (values: readonly (number | null)[], count: number) => values.slice(-count);

test("DSC-11 calls are counted in the hour in which they end, and the last hour is the one that runs", async () => {
  const { clock, trend, view } = start();
  trend.countTool(pay);
  await clock.advance(hourMs / 2 - 1);
  trend.countTool({ ...pay, success: false });
  expect(last(view().calls, 2)).toEqual([0, 2]);
  await clock.advance(1);
  trend.countMessage({ agent: "clerk", success: false });
  const { hours, calls, errors } = view();
  expect([hours.length, hours[0], hours.at(-1)]).toEqual([24, "2025-12-31T14:00:00.000Z", "2026-01-01T13:00:00.000Z"]);
  expect(last(calls, 3)).toEqual([0, 2, 1]);
  expect(last(errors, 3)).toEqual([0, 1, 1]);
});

test("what is 24 hours old is gone, and not an hour before", async () => {
  const { clock, trend, view } = start();
  trend.countTool(pay);
  trend.countMessage({ agent: "clerk", success: true });
  await clock.advance(23 * hourMs);
  expect(view()).toMatchObject({ tools: [{ calls: 1 }], agents: [{ agent: "clerk" }] });
  expect(view().calls[0]).toBe(2);
  await clock.advance(hourMs);
  expect(view()).toMatchObject({ tools: [], agents: [] });
  expect(view().calls.every((each) => each === 0)).toBe(true);
  expect(trend.lastCallAt("clerk")).toBe("2026-01-01T12:30:00.000Z");
});

test("a clock that is set back makes no hours that are not yet, and no more than 24", async () => {
  const { clock, trend, view } = start();
  trend.countTool(pay);
  clock.setWall(-2 * hourMs);
  expect(view().calls.every((each) => each === 0)).toBe(true);
  trend.countTool(pay);
  expect(last(view().calls, 1)).toEqual([1]);
  const series = new HourlySeries({ keepsTimes: true });
  for (let hour = 0; hour < 100; hour += 1) series.count(hour * hourMs, pay);
  const [hours, day] = [new HourlySum({ keepsTimes: true }), new DaySum()];
  series.addTo(99, { hours, day });
  expect([hours.calls, day.calls]).toEqual([Array.from({ length: 24 }, () => 1), 24]);
});

test("DSC-11 the median is near the call in the middle, of the hour, the tool, the server", async () => {
  const { clock, trend, view } = start();
  for (const durationMs of [10, 400, 90_000]) trend.countTool({ ...pay, durationMs });
  await clock.advance(hourMs);
  trend.countTool({ ...pay, tool: "refund", durationMs: 5 });
  const [before, now] = last(view().medianMs, 2);
  expect(before).toBeGreaterThan(400 / 1.2);
  expect(before).toBeLessThan(400 * 1.2);
  expect(now).toBeLessThan(6);
  expect(view().medianMs[0]).toBeNull();
  expect(view().tools).toMatchObject([
    { tool: "pay", calls: 3, medianMs: before },
    { tool: "refund", calls: 1, medianMs: now },
  ]);
  expect(trend.ofServers().get("bank")).toMatchObject({ calls: 4, errors: 0 });
});

test.each([0, 1, 2, 17, 1_000, 59_999, 250_000])("a median of %i ms is off by a fifth at most", (durationMs) => {
  const series = new HourlySeries({ keepsTimes: true });
  series.count(0, { success: true, durationMs });
  const day = new DaySum();
  series.addTo(0, { day });
  const found = findMedianMs(day.times) ?? -1;
  expect(Math.abs(found - durationMs)).toBeLessThanOrEqual(Math.max(1, durationMs * 0.2));
});

test("a call that takes longer than the longest bucket is in that", () => {
  const series = new HourlySeries({ keepsTimes: true });
  series.count(0, { success: true, durationMs: 24 * hourMs });
  const day = new DaySum();
  series.addTo(0, { day });
  expect(findMedianMs(day.times)).toBeGreaterThan(250_000);
});

test("DSC-11 who sees some agents and servers reads the counts of these alone", () => {
  const { trend } = start();
  trend.countTool(pay);
  trend.countTool({ ...pay, server: "mail" });
  trend.countMessage({ agent: "clerk", success: true });
  trend.countMessage({ agent: "boss", success: false });
  const seen = trend.view({ agent: (name) => name === "clerk", server: (name) => name === "mail" });
  expect(seen.tools.map(({ server }) => server)).toEqual(["mail"]);
  expect(seen.agents.map(({ agent }) => agent)).toEqual(["clerk"]);
  expect([seen.calls.at(-1), seen.errors.at(-1)]).toEqual([2, 0]);
});

test(`of ${maxTrendTools} tools and ${maxTrendAgents} agents one more takes the place of what was called longest ago`, () => {
  const { trend, view } = start();
  for (let n = 0; n < maxTrendTools; n += 1) trend.countTool({ ...pay, tool: `t${n}` });
  for (let n = 0; n < maxTrendAgents; n += 1) trend.countMessage({ agent: `a${n}`, success: true });
  expect([view().tools.length, view().agents.length]).toEqual([maxTrendTools, maxTrendAgents]);
  trend.countTool({ ...pay, tool: "t0" });
  trend.countTool({ ...pay, tool: "more" });
  trend.countMessage({ agent: "more", success: true });
  const names = new Set(view().tools.map(({ tool }) => tool));
  expect([names.size, names.has("t0"), names.has("t1"), names.has("more")]).toEqual([maxTrendTools, true, false, true]);
  const agents = new Set(view().agents.map(({ agent }) => agent));
  expect([agents.size, agents.has("a0"), agents.has("more")]).toEqual([maxTrendAgents, false, true]);
});

test("each call is told, until nobody listens", () => {
  const { trend } = start();
  let told = 0;
  const stop = trend.onCount(() => void (told += 1));
  trend.countTool(pay);
  trend.countMessage({ agent: "clerk", success: true });
  stop();
  trend.countTool(pay);
  expect(told).toBe(2);
});

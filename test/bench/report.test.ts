import { expect, it } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import { percentile, renderReport, type Figure } from "./report.ts";

const report = (ratio: number, ...figures: Figure[]) => {
  const { text, missed } = renderReport({ name: "some", ratio, goal: 1.25, agents: 10, figures, notes: ["A note."] });
  const lines = text.trimEnd().split("\n");
  return { lines, missed, summary: JSON.parse(lines.at(-1) ?? "") };
};
const figure = (value: number, atMost?: number): Figure => ({
  ...{ key: "waitMs", label: "wait", unit: " ms", value },
  ...defined({ atMost }),
});

it("meets a goal at it and misses it one past it", () => {
  expect(report(1.25, figure(100, 100)).missed).toEqual([]);
  expect(report(1.2501, figure(100.1, 100)).missed).toEqual(["ratio", "waitMs"]);
});

it("meets the least that is asked for, and misses it one below", () => {
  const speed = (value: number): Figure => ({ key: "speed", label: "speed", value, atLeast: 0.9 });
  expect(report(1, speed(0.9)).missed).toEqual([]);
  expect(report(1, speed(0.8999)).missed).toEqual(["speed"]);
  expect(report(1, speed(Number.NaN)).missed).toEqual(["speed"]);
  expect(report(1, speed(1)).lines[1]?.trim().replace(/ +/g, " ")).toBe("speed 1 ≥ 0.9 ok");
});

it("misses a goal with a figure that is not a number", () => {
  expect(report(Number.NaN, figure(Number.NaN, 100)).missed).toEqual(["ratio", "waitMs"]);
});

it("judges the measured figure, not the rounded one", () => {
  const { missed, summary } = report(1, figure(1.0001, 1));
  expect(missed).toEqual(["waitMs"]);
  expect(summary).toEqual({
    ...{ name: "some", ratio: 1, goal: 1.25, pass: false, missed: ["waitMs"], agents: 10 },
    figures: { waitMs: 1 },
  });
});

it("shows figures with three digits, whole numbers and thousands whole, and goals beside them", () => {
  const { lines } = report(1, figure(0.012_345, 1), figure(12_345.6), figure(1_234), figure(12.345));
  expect(lines.slice(1, 5).map((line) => line.trim().replace(/ +/g, " "))).toEqual([
    "wait 0.0123 ms ≤ 1 ms ok",
    "wait 12346 ms",
    "wait 1234 ms",
    "wait 12.3 ms",
  ]);
  expect(lines[5]).toBe("  A note.");
});

it.each([
  [0, 1],
  [0.5, 2],
  [0.75, 3],
  [0.76, 4],
  [1, 4],
])("gives percentiles by nearest rank, in whatever order they come: %d", (share, expected) => {
  expect(percentile([4, 2, 3, 1], share)).toBe(expected);
});

it("gives no percentile of nothing, nor of what is not a number", () => {
  expect(() => percentile([], 0.5)).toThrow("at least one measurement");
  expect(() => percentile([1, Number.NaN, 2], 0.5)).toThrow("not a number");
});

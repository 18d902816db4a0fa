import { describe, expect, it } from "vitest";
import { holdRows, takeRows } from "./steady-rows.ts";

interface Row {
  id: string;
  value: number;
}
const keyOf = ({ id }: Row) => id;
const rows = (...pairs: [string, number][]): Row[] => pairs.map(([id, value]) => ({ id, value }));
const shown = takeRows([], rows(["a", 1], ["b", 2], ["c", 3]), keyOf);

describe("rows under a pointer or a focus", () => {
  it("stay where they are, with the values of now", () => {
    const { rows: held, waiting } = holdRows(shown, rows(["c", 30], ["a", 1], ["b", 2]), keyOf);
    expect(held.map(({ key, row }) => [key, row.value])).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 30],
    ]);
    expect(waiting).toBeGreaterThan(0);
  });

  it("stay struck where they went, and new ones wait", () => {
    const { rows: held, waiting } = holdRows(shown, rows(["0", 0], ["a", 1], ["c", 3]), keyOf);
    expect(held.map(({ key, isGone }) => [key, isGone])).toEqual([
      ["a", false],
      ["b", true],
      ["c", false],
    ]);
    expect(waiting).toBe(2);
  });

  it("wait for nothing where only values change", () => {
    expect(holdRows(shown, rows(["a", 9], ["b", 2], ["c", 3]), keyOf).waiting).toBe(0);
  });
});

describe("rows that are taken as they are", () => {
  it("are marked where they say something else, not at the first paint", () => {
    expect(shown.some(({ isChanged }) => isChanged)).toBe(false);
    const next = takeRows(shown, rows(["a", 1], ["b", 5], ["d", 1]), keyOf);
    expect(next.map(({ key, isChanged }) => [key, isChanged])).toEqual([
      ["a", false],
      ["b", true],
      ["d", true],
    ]);
  });
});

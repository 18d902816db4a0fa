import { expect, it } from "vitest";
import { compareToBound, isWholeText, suggestNumber } from "./number-text.ts";

it.each([
  ["18,40", "18.40"],
  ["1.234,5", "1234.5"],
  ["1,234.5", "1234.5"],
  ["1,234,567", "1234567"],
  ["1.234.567", "1234567"],
  ["1 000", "1000"],
  [".5", "0.5"],
  ["5.", "5"],
  ["+7", "7"],
  ["007", "7"],
  ["-.5", "-0.5"],
  ["12", "12"],
  ["many", undefined],
  ["", undefined],
  ["0x10", undefined],
])("takes %j for %j", (written, meant) => {
  expect(suggestNumber(written)).toBe(meant);
});

it("knows a whole number however it is spelled", () => {
  expect(["1", "-0", "1.0", "1.50e1", "100e-2", "12345678901234567890"].map(isWholeText)).toEqual(Array(6).fill(true));
  expect(["1.5", "1e-1", "1.55e1", "100e-3"].map(isWholeText)).toEqual(Array(4).fill(false));
});

it("compares whole numbers by all their digits", () => {
  expect(compareToBound("9007199254740993", 9_007_199_254_740_992)).toBe(1);
  expect(compareToBound("-3", -3)).toBe(0);
  expect(compareToBound("0.5", 1)).toBeLessThan(0);
});

import { expect, test } from "vitest";
import { matchesToolPattern } from "./tool-pattern.ts";

test.each([
  ["get_time", "get_time", true],
  ["get_time_zone", "get_time", false],
  ["get_time", "get_*", true],
  ["get_time", "*time", true],
  ["get_time", "g*t_*e", true],
  ["get_", "get_*", true],
  ["aba", "ab*ba", false],
  ["abba", "ab*ba", true],
  ["anything", "*", true],
  ["", "*", true],
  ["forget_time", "get_*", false],
  ["get_times", "get*time", false],
])("the tool %s and the pattern %s: %s", (tool, pattern, expected) => {
  expect(matchesToolPattern(tool, pattern)).toBe(expected);
});

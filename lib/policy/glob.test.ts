import { describe, expect, it } from "vitest";
import { matchesGlob, parseGlob } from "./glob.ts";

describe("a glob", () => {
  it.each([
    ["read_*", "read_file", true],
    ["read_*", "read_", true],
    ["read_*", "unread_file", false],
    ["*_file", "read_file", true],
    ["*_file", "read_files", false],
    ["*", "", true],
    ["*", "any/thing\nat\u2028all", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*a", "aba", true],
    ["ab*ba", "aba", false],
    ["*ab*ab*", "ab", false],
    ["*ab*ab*", "xabab", true],
    ["a**b", "ab", true],
    ["exact", "exact", true],
    ["exact", "exact ", false],
    ["Case", "case", false],
    ["a.b", "aXb", false],
    ["a?", "ab", false],
    ["[ab]", "a", false],
    ["é", "e\u0301", false],
  ])("%j on %j: %s", (pattern, text, fits) => {
    expect(matchesGlob(text, parseGlob(pattern))).toBe(fits);
  });
});

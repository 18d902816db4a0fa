import { describe, expect, it } from "vitest";
import { nearest, suggestion } from "./did-you-mean.ts";
import { formatPath, listNames } from "./fault.ts";

const known = ["servers", "scope", "stop", "key", "topK"];

describe("CFG-5 suggestions", () => {
  it("a word within two edits is suggested, one of three edits is not", () => {
    expect(["server", "serverss", "srvrs", "svrs", "serves"].map((word) => nearest(word, known))).toEqual([
      "servers",
      "servers",
      "servers",
      undefined,
      "servers",
    ]);
  });

  it("a short word may differ by one letter only, and case counts nothing", () => {
    expect(["kay", "kex", "kab", "TOPK"].map((word) => nearest(word, known))).toEqual([
      "key",
      "key",
      undefined,
      "topK",
    ]);
  });

  it("the nearest wins, and where none is near nothing is said", () => {
    expect(suggestion("stopp", known)).toBe(' (did you mean "stop"?)');
    expect(suggestion("x".repeat(100_000), known)).toBe("");
    expect(suggestion("scope", [])).toBe("");
  });
});

describe("formatting for people", () => {
  it("paths are written as the API server writes them", () => {
    expect(formatPath(["spec", "servers", 0, "headers", 12, "name"])).toBe("spec.servers[0].headers[12].name");
    expect(formatPath([])).toBe("");
  });

  it("ten names are listed, of eleven one is counted", () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
    expect(listNames([])).toBe("none");
    expect(listNames(names(10))).not.toContain("more");
    expect(listNames(names(11))).toMatch(/^"n0", .*"n9" and 1 more$/);
  });
});

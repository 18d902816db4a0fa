import { describe, expect, it } from "vitest";
import { nearest, suggestion } from "./did-you-mean.ts";

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

import { describe, expect, it } from "vitest";
import { tellAge, tellDuration, tellLeft } from "./times.ts";

const at = new Date(2026, 10, 24, 14, 0, 0).getTime();
const minute = 60_000;

describe("an age", () => {
  it("is told as coarse as people need it", () => {
    expect(tellAge(at, at - 10 * minute)).toBe("now");
    expect(tellAge(at, at + 4_999)).toBe("now");
    expect(tellAge(at, at + 5_000)).toBe("5 s");
    expect(tellAge(at, at + 59_999)).toBe("55 s");
    expect(tellAge(at, at + minute)).toBe("1 min");
    expect(tellAge(at, at + 60 * minute - 1)).toBe("59 min");
    expect(tellAge(at, at + 60 * minute)).toBe("1 h");
    expect(tellAge(at, at + 24 * 60 * minute)).toBe("yesterday 14:00");
    expect(tellAge(at, at + 72 * 60 * minute)).toBe("24 Nov");
    expect(tellAge(at, at + 200 * 24 * 60 * minute)).toBe("24 Nov 2026");
    expect(tellAge(Number.NaN, at)).toBe("unknown");
  });
});

describe("a time left", () => {
  it("is rounded up and never below nothing", () => {
    expect(tellLeft(at + 6.2 * minute, at)).toBe("7 min");
    expect(tellLeft(at + minute + 1, at)).toBe("2 min");
    expect(tellLeft(at + minute, at)).toBe("60 s");
    expect(tellLeft(at - 5, at)).toBe("0 s");
    expect(tellLeft(at + 20 * 60 * minute, at)).toBe("20 h");
  });
});

describe("a duration", () => {
  it("has the digits that matter", () => {
    expect([9, 400, 9_600, 38_000, 250_000, 3_700_000].map(tellDuration)).toEqual([
      "9 ms",
      "0.4 s",
      "9.6 s",
      "38 s",
      "4 min 10 s",
      "1 h 2 min",
    ]);
  });
});

import { expect, it } from "vitest";
import { waitAfter } from "./back-off.ts";

it("waits 1, 2, 4 … 30 s, at most a quarter less", () => {
  expect([1, 2, 3, 4, 5, 6, 1_000].map((failures) => waitAfter(failures, 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
  expect(waitAfter(1, 1)).toBe(750);
  expect(waitAfter(6, 1)).toBe(22_500);
});

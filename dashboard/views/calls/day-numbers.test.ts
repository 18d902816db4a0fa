// The numbers above the charts of a day.
import { expect, it } from "vitest";
import { sumUpDay, tellShare } from "./day-numbers.ts";

const hours = ["2026-11-24T10:00:00Z", "2026-11-24T11:00:00Z", "2026-11-24T12:00:00Z"];
const metrics = {
  ...{ since: hours[0] ?? "", hours, calls: [1, 4, 5], errors: [0, 1, 0], waiting: [0, 2, 0] },
  ...{ median_ms: [9, 120, null], agents: [], tools: [] },
};

it("sums up a day, with the median of the last hour that has one", () => {
  expect(sumUpDay(metrics)).toEqual({
    ...{ calls: 10, failed: 1, failedShare: "10 %", waiting: 2 },
    median: { ms: 120, hour: hours[1] },
  });
  expect(sumUpDay({ ...metrics, median_ms: [null, null, null] }).median).toBeUndefined();
  expect(sumUpDay({ ...metrics, hours: [], calls: [], errors: [], waiting: [], median_ms: [] }).calls).toBe(0);
});

it("tells no share as nothing that is something, and none as all that is less", () => {
  expect(tellShare(0, 0)).toBe("0 %");
  expect(tellShare(0, 9)).toBe("0 %");
  expect(tellShare(1, 100_000)).toBe("< 0.1 %");
  expect(tellShare(1, 1_000)).toBe("0.1 %");
  expect(tellShare(99_999, 100_000)).toBe("99 %");
  expect(tellShare(7, 7)).toBe("100 %");
});

// The numbers of a proposal's dry run.
import { expect, it } from "vitest";
import { isLooser, sumUpDryRun } from "./dry-run-numbers.ts";

it("puts what would be let through apart from what would be held, the farthest from now first", () => {
  const counts = [
    { before: "allow", after: "allow", calls: 400 },
    { before: "ask", after: "ask", calls: 50 },
    { before: "ask", after: "allow", calls: 7 },
    { before: "denyAbort", after: "allow", calls: 1 },
    { before: "allow", after: "ask", calls: 3 },
    { before: "allow", after: "denyContinue", calls: 2 },
  ] as const;
  expect(sumUpDryRun({ counts: [...counts] })).toEqual({
    looser: [counts[3], counts[2]],
    stricter: [counts[5], counts[4]],
    looserCalls: 8,
    asBefore: 450,
  });
  expect(sumUpDryRun({ counts: [] })).toEqual({ looser: [], stricter: [], looserCalls: 0, asBefore: 0 });
});

it("takes a denial that lets the run go on for looser than one that ends it", () => {
  expect(isLooser({ before: "denyAbort", after: "denyContinue" })).toBe(true);
  expect(isLooser({ before: "denyContinue", after: "denyAbort" })).toBe(false);
  expect(isLooser({ before: "ask", after: "ask" })).toBe(false);
});

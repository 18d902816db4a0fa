// A changed definition as lines: nothing that came or went is lost, cut or folded.
import { describe, expect, it } from "vitest";
import { compareLines, foldEqual, type DifferenceLine } from "../../parts/line-difference.ts";
import { compareValues, countLines, differenceOf } from "./definition-difference.ts";

const told = (lines: readonly DifferenceLine[]) =>
  lines.map(({ kind, text }) => `${{ equal: " ", added: "+", removed: "-" }[kind]}${text}`);

describe("lines of a difference", () => {
  it("tell what went and what came, in its place", () => {
    expect(told(compareLines(["a", "b", "c"], ["a", "x", "c", "d"]))).toEqual([" a", "-b", "+x", " c", "+d"]);
  });

  it("keep what is common in the middle of what changed", () => {
    expect(told(compareLines(["1", "a", "2", "3"], ["4", "a", "5", "3"]))).toEqual([
      "-1",
      "+4",
      " a",
      "-2",
      "+5",
      " 3",
    ]);
  });

  it("say of a value that is new or gone nothing but that", () => {
    expect(told(compareValues(null, "one\ntwo"))).toEqual(["+one", "+two"]);
    expect(told(compareValues({ a: 1 }, null))).toEqual(["-{", '-  "a": 1', "-}"]);
    expect(compareValues("same", "same")).toEqual([{ kind: "equal", text: "same" }]);
  });

  it("show each line also of more than can be compared", () => {
    const many = (mark: string, n: number) => Array.from({ length: n }, (_, index) => `${mark}${index % 7}`);
    for (const n of [1_000, 1_001]) {
      const lines = compareLines(many("a", n), many("b", n));
      const { added, removed } = countLines([{ field: "x", lines }]);
      expect([added, removed]).toEqual([n, n]);
    }
    const common = compareLines([...many("a", 1_000), "same", "end"], ["same", ...many("b", 999)]);
    expect(told(common)).not.toContain(" same");
  });

  it("take a repeated line once from each side", () => {
    expect(told(compareLines(["x", "x"], ["x"]))).toEqual([" x", "-x"]);
  });
});

describe("the difference of a tool", () => {
  it("is that of its fields, where both are known", () => {
    const fields = [{ field: "description", old: "Reads.", new: "Sends." }];
    expect(differenceOf({ tool: "t", change: "changed", fields })).toEqual([
      {
        field: "description",
        lines: [
          { kind: "removed", text: "Reads." },
          { kind: "added", text: "Sends." },
        ],
      },
    ]);
  });

  it("is all that it says now, where it is new or the approved one is not kept", () => {
    const change = { tool: "t", change: "added" as const, fields: null, now: { name: "t", description: "Sends." } };
    const difference = differenceOf(change);
    expect(difference?.flatMap(({ lines }) => told(lines))).toEqual(["+t", "+Sends."]);
    expect(difference?.map(({ field }) => field)).toEqual(["name", "description"]);
  });

  it("is nothing of one that is gone, and unknown where the gateway does not tell", () => {
    expect(differenceOf({ tool: "t", change: "removed", fields: null })).toEqual([]);
    expect(differenceOf({ tool: "t", change: "added", fields: null })).toBeUndefined();
  });
});

describe("folding", () => {
  const equal = (n: number) => Array.from({ length: n }, (): DifferenceLine => ({ kind: "equal", text: "e" }));
  const added: DifferenceLine = { kind: "added", text: "new" };
  const fold = (lines: readonly DifferenceLine[]) => foldEqual(lines, ({ kind }) => kind === "equal");

  it("takes equal lines alone, and leaves three beside what changed", () => {
    const runs = fold([...equal(10), added, ...equal(10)]);
    expect(runs.map(({ kind, items }) => [kind, items.length])).toEqual([
      ["folded", 7],
      ["shown", 7],
      ["folded", 7],
    ]);
  });

  it("is not worth it below four lines", () => {
    expect(fold([...equal(6), added]).map(({ kind }) => kind)).not.toContain("folded");
    expect(fold([...equal(7), added]).map(({ kind }) => kind)).toContain("folded");
  });
});

// What meets text of others takes time in proportion to its length (SEC-7): a pattern that tries every division of a run
// between two of its parts would let one line, header or answer of a hostile peer hold up a whole process. Each reader of
// the table gets every run after each of its beginnings and before each of the endings.
import { describe, expect, it } from "vitest";
import { growthLimit, observeGrowth } from "./linear-time/growth.ts";
import type { Reader } from "./linear-time/reader.ts";
import { readers } from "./linear-time/readers.ts";

const runs = [
  ...' \t\n\r\u2028\u001baAé01._-:;,=/\\%#"*+@[]{}('.split(""),
  "\u001b]8;;a",
  "\u001b[1;",
  "\\n",
  '\\"',
  'a="",',
  '","',
  "1.1",
  "::",
  "/a",
  "%41",
  "${",
  " ,",
  "a ",
];
/** What belongs to nothing, and a line end that only some patterns take for one. */
const endings = ["x", "\u2028x"];

function* renderShapes({ after = [], before = [] }: Reader) {
  for (const start of ["", ...after]) {
    for (const run of runs) for (const end of [...endings, ...before]) yield { start, run, end };
  }
}

describe("SEC-7 what others send is read in time that grows with its length", { timeout: 120_000 }, () => {
  it.each(readers)("$name", async (reader) => {
    for (const { start, run, end } of renderShapes(reader)) {
      const shape = (length: number) => start + run.repeat(length / run.length) + end;
      const growth = await observeGrowth(reader.read, shape);
      expect(
        growth,
        `after ${JSON.stringify(start)} many ${JSON.stringify(run)}, then ${JSON.stringify(end)}`,
      ).toBeLessThan(growthLimit);
    }
  });
});

describe("the measure", { timeout: 120_000 }, () => {
  const shape = (length: number) => "1".repeat(length);

  it("finds out who tries every division of a run", async () => {
    expect(await observeGrowth((text) => /^\d+\.?\d*$/.test(`${text}x`), shape)).toBeGreaterThan(growthLimit);
  });

  it("passes who reads every character some times", async () => {
    const read = (text: string) => {
      for (let times = 0; times < 20; times += 1) if (/[^\d]/.test(text)) return true;
      return false;
    };
    expect(await observeGrowth(read, shape)).toBeLessThan(growthLimit);
  });
});

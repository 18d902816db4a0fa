import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultRows, measuredRows, type FaultRow } from "./faults/rows.ts";
import { listPaths } from "./tidy/source-tree.ts";

const root = join(import.meta.dirname, "..");
const ownPath = "test/fault-rows.test.ts"; // Names numbers to try the rules with.

/** The faults that a test file's strings name, each as "fault N". */
function namedFaults(source: string): Set<number> {
  const named = new Set<number>();
  for (const [literal] of source.matchAll(/(["'`])(?:(?!\1)[^\\\n]|\\.)*\1/g)) {
    for (const [, number] of literal.matchAll(/\bfault (\d+)\b/g)) named.add(Number(number));
  }
  return named;
}

/** What is wrong with the table, given the text of every test file by its path. */
function findRowFaults(rows: Readonly<Record<number, FaultRow>>, files: ReadonlyMap<string, string>): string[] {
  const named = new Map([...files].map(([path, text]) => [path, namedFaults(text)]));
  const faults: string[] = [];
  for (const [number, { shown }] of Object.entries(rows)) {
    if (shown.length === 0) faults.push(`fault ${number} is shown nowhere`);
    for (const path of shown) {
      if (!files.has(path)) {
        faults.push(`fault ${number} cites ${path}, which is no test file`);
      } else if (named.get(path)?.has(Number(number)) !== true) {
        faults.push(`fault ${number} cites ${path}, where no title says "fault ${number}"`);
      }
    }
  }
  for (const [path, numbers] of named) {
    for (const number of numbers) {
      if (rows[number]?.shown.includes(path) !== true) {
        faults.push(`${path} shows fault ${number}, which does not cite it`);
      }
    }
  }
  return faults;
}

describe("the table of faults", () => {
  const paths = listPaths(root).filter((path) => path.endsWith(".test.ts") && path !== ownPath);
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));

  it("has every row from 1 to 46 once", () => {
    const numbers = [...Object.keys(faultRows), ...Object.keys(measuredRows)].map(Number);
    expect(numbers).toEqual(Array.from({ length: 46 }, (_, index) => index + 1));
  });

  it("cites the test files that show each row, and no other", () => {
    expect(findRowFaults(faultRows, files)).toEqual([]);
  });
});

describe("the rules of the table", () => {
  const files = new Map([
    ["a.test.ts", 'it("fault 1: a, fault 12", () => {}); // fault 2'],
    ["b.test.ts", "it.each([['fault 3', 1]])(`%s`, () => {});"],
  ]);
  const rows = { 1: { fault: "", shown: ["a.test.ts"] }, 3: { fault: "", shown: ["b.test.ts"] } };
  const twelve = { 12: { fault: "", shown: ["a.test.ts"] } };

  it("find nothing in a sound table", () => {
    expect(findRowFaults({ ...rows, ...twelve }, files)).toEqual([]);
  });

  it("find a row without a test, a file that is not there, and one that does not name the row, not even in a comment", () => {
    const wrong = {
      ...rows,
      ...twelve,
      2: { fault: "", shown: ["a.test.ts", "c.test.ts"] },
      4: { fault: "", shown: [] },
    };
    expect(findRowFaults(wrong, files)).toEqual([
      'fault 2 cites a.test.ts, where no title says "fault 2"',
      "fault 2 cites c.test.ts, which is no test file",
      "fault 4 is shown nowhere",
    ]);
  });

  it("find a test that shows a row without being cited", () => {
    expect(findRowFaults(rows, files)).toEqual(["a.test.ts shows fault 12, which does not cite it"]);
  });
});

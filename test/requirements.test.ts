import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requirements } from "./requirements.ts";
import { contractIds, findRequirementProblems, type Requirements } from "./requirements/requirement.ts";
import { findUnshown } from "./requirements/shown-by-run.ts";
import { listPaths } from "./tidy/source-tree.ts";

const root = join(import.meta.dirname, "..");
// This file names ids to try the rules with.
const paths = listPaths(root).filter((path) => path.endsWith(".test.ts") && path !== "test/requirements.test.ts");
const testFiles = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));

describe("the list of requirements", () => {
  it("has every id of the contract, in its order, and no other", () => {
    expect(Object.keys(requirements)).toEqual(contractIds);
  });

  it("cites test files that name the id, and calls nothing open that a test names", () => {
    expect(testFiles.size).toBeGreaterThan(50);
    expect(findRequirementProblems(requirements, testFiles)).toEqual([]);
  });
});

describe("what a run has shown", () => {
  const promise = "It is kept at all times.";
  const list: Requirements = {
    "CAT-1": { promise, shown: ["a.test.ts", "b.test.ts"] },
    "CAT-2": { promise, shown: "open" },
  };
  const unshown = (shown: Record<string, string[]>, isWhole = false) =>
    findUnshown(list, new Map(Object.entries(shown)), isWhole);
  const both = { "a.test.ts": ["CAT-1 the list is served"], "b.test.ts": ["CAT-1 OPR-1 all of it"] };

  it("is everything when each cited file has a passed test of that name", () => {
    expect(unshown(both, true)).toEqual([]);
  });

  it("is not what a file's tests were left out for, or passed under another id only", () => {
    expect(unshown({ ...both, "b.test.ts": [] })).toEqual(["CAT-1: b.test.ts"]);
    expect(unshown({ ...both, "b.test.ts": ["CAT-10 all of it"] })).toEqual(["CAT-1: b.test.ts"]);
  });

  it("counts files that were not run where the run is whole, but for what CI has not", () => {
    const { "b.test.ts": _, ...some } = both;
    expect(unshown(some)).toEqual([]);
    expect(unshown(some, true)).toEqual(["CAT-1: b.test.ts"]);
    const foreign: Requirements = { "CAT-1": { promise, shown: ["test/compat/a.test.ts"] } };
    expect(findUnshown(foreign, new Map(), true)).toEqual([]);
  });
});

describe("the rules of the list", () => {
  const files = new Map([
    ["a.test.ts", 'describe("CAT-1 CAT-10 a", () => {});'],
    ["b.test.ts", 'it("AGT-2 b", () => {});'],
  ]);
  const promise = "It is kept at all times.";
  const sound: Requirements = {
    ...Object.fromEntries(contractIds.map((id) => [id, { promise, shown: "open" as const }])),
    "CAT-1": { promise, shown: ["a.test.ts"] },
    "CAT-10": { promise, shown: ["a.test.ts"], missing: "some of it" },
    "AGT-2": { promise, shown: ["b.test.ts"] },
  };
  const problemsWith = (changes: Requirements): string[] => findRequirementProblems({ ...sound, ...changes }, files);

  it("find nothing in a sound list", () => {
    expect(problemsWith({})).toEqual([]);
  });

  it("find an id that is not listed, and one that is not in the contract", () => {
    const { "UI-1": _left, ...rest } = sound;
    expect(findRequirementProblems(rest, files)).toEqual(["UI-1 is not listed"]);
    expect(problemsWith({ "UI-3": { promise, shown: "open" } })).toEqual(["UI-3 is listed and not in the contract"]);
  });

  it("find an id in a test file that is not in the contract", () => {
    expect(findRequirementProblems(sound, new Map([...files, ["c.test.ts", "PRG-6"]]))).toEqual([
      "c.test.ts names PRG-6, which is not in the contract",
    ]);
  });

  it("find a cited file that is not there or does not name the id, not even as part of a longer one", () => {
    expect(problemsWith({ "CAT-1": { promise, shown: ["c.test.ts", "b.test.ts"] } })).toEqual([
      "CAT-1 cites c.test.ts, which is no test file",
      "CAT-1 cites b.test.ts, which does not name it",
    ]);
    expect(findRequirementProblems(sound, new Map([...files, ["a.test.ts", "CAT-10"]]))).toEqual([
      "CAT-1 cites a.test.ts, which does not name it",
    ]);
  });

  it("find an open id that a test names, and one that is open and also lacks something", () => {
    expect(problemsWith({ "AGT-2": { promise, shown: "open" } })).toEqual(["AGT-2 is open, but b.test.ts names it"]);
    expect(problemsWith({ "MET-6": { promise, shown: "open", missing: "all" } })).toEqual([
      "MET-6 is open as a whole: nothing else can be missing",
    ]);
  });

  it.each(["", "No full stop", `Too long${" and longer".repeat(20)}.`])(
    "find %j, which is no short sentence",
    (text) => {
      expect(problemsWith({ "MET-6": { promise: text, shown: "open" } })).toEqual([
        "MET-6: its promise is not one short sentence",
      ]);
    },
  );
});

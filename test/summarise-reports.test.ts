import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readReports, renderFailure, renderSkips, renderTotals } from "./summarise-reports.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "pallas-reports-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const read = (...names: string[]) => readReports(names.map((name) => join(folder, name)));

interface ReportedFile {
  status: string;
  /** How each ended. */
  tests: string[];
  meta?: { missing?: string; platform?: string };
  message?: string;
  /** Of tests that passed when they were tried again. */
  atFirst?: string[];
}

function write(name: string, ...files: ReportedFile[]): void {
  const testResults = files.map(({ status, tests, message, meta, atFirst = [] }, index) => ({
    name: join(process.cwd(), `${name}/${index}.test.ts`),
    status,
    message,
    assertionResults: tests.map((each) => ({
      status: each,
      ancestorTitles: ["it", "inside"],
      fullName: `it inside has ${each}`,
      meta,
      failureMessages:
        each === "failed" ? ["AssertionError: \u001b[31mexpected 1 to be 2\u001b[39m\n    at here"] : atFirst,
    })),
  }));
  writeFileSync(join(folder, name), JSON.stringify({ testResults }));
}

it("names what passed only when it was tried again, and counts it as passed", () => {
  write("vitest.json", { status: "passed", tests: ["passed"], atFirst: ["too late"] });
  const summary = read("vitest.json");
  expect(renderTotals(summary)).toBe("1 passed, 0 failed, 0 skipped");
  expect(summary.unsteady).toEqual([
    { file: "vitest.json/0.test.ts", test: "it inside has passed", reason: "too late" },
  ]);
  const { stderr } = spawnSync(process.execPath, [
    join(import.meta.dirname, "summarise-reports.ts"),
    join(folder, "vitest.json"),
  ]);
  expect(String(stderr)).toBe(
    "passed at the second attempt only: vitest.json/0.test.ts > it inside has passed\n  too late\n",
  );
});

it("adds up all reports of a folder; what neither passed nor failed was skipped", () => {
  write(
    "vitest.json",
    { status: "failed", tests: ["passed", "failed", "skipped", "todo"] },
    { status: "passed", tests: ["passed"] },
  );
  write("e2e.json", { status: "passed", tests: ["passed", "pending"] });
  expect(renderTotals(read("vitest.json", "e2e.json"))).toBe("3 passed, 1 failed, 3 skipped");
});

it("says of a failure where it is and why, without colours", () => {
  write("vitest.json", { status: "failed", tests: ["passed", "failed"] });
  expect(read("vitest.json").failures.map(renderFailure)).toEqual([
    "failed: vitest.json/0.test.ts > it inside has failed\n  AssertionError: expected 1 to be 2\n      at here",
  ]);
});

it("cuts a long reason", () => {
  const reason = Array.from({ length: 13 }, (_, index) => `line ${index + 1}`).join("\n");
  const lines = renderFailure({ file: "a.test.ts", test: "it", reason }).split("\n");
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toBe("  line 12");
});

it("counts a file that failed as a whole as one failure", () => {
  write(
    "vitest.json",
    { status: "failed", tests: [], message: "Cannot find module" },
    { status: "failed", tests: ["skipped", "skipped"] },
  );
  const summary = read("vitest.json");
  expect(renderTotals(summary)).toBe("0 passed, 2 failed, 2 skipped");
  expect(summary.failures.map(renderFailure)[0]).toBe("failed: vitest.json/0.test.ts\n  Cannot find module");
});

it("gives zeros without reports, and refuses one it cannot read", () => {
  expect(readReports([])).toEqual({ passed: 0, failures: [], skips: [], unsteady: [], shown: new Map() });
  writeFileSync(join(folder, "broken.json"), "{}");
  expect(() => read("broken.json")).toThrow(/testResults/);
});

it("names what was skipped by its reason, file and outermost group", () => {
  const missing = { missing: "expected promtool" };
  write(
    "vitest.json",
    { status: "passed", tests: ["passed", "skipped", "skipped"], meta: missing },
    { status: "passed", tests: ["skipped"], meta: { platform: "there is no /proc here" } },
    { status: "passed", tests: ["pending"], meta: missing },
    { status: "failed", tests: ["skipped"] },
  );
  expect(renderSkips(read("vitest.json").skips)).toEqual([
    "skipped: expected promtool",
    "  vitest.json/0.test.ts > it: 2 tests",
    "  vitest.json/2.test.ts > it: 1 test",
    "skipped: there is no /proc here",
    "  vitest.json/1.test.ts > it: 1 test",
    "skipped: no reason given; see TESTS LEFT OUT above, or a beforeAll that failed",
    "  vitest.json/3.test.ts > it: 1 test",
  ]);
});

describe("as a program", () => {
  const summarise = (CI: string) => {
    const program = join(import.meta.dirname, "summarise-reports.ts");
    const env = { ...process.env, CI };
    return spawnSync(process.execPath, [program, join(folder, "a.json")], { env, encoding: "utf8" });
  };

  it.each([
    [{ missing: "expected promtool" }, "true", 1],
    [{ missing: "expected promtool" }, "", 0],
    [{}, "true", 1],
    [{ platform: "there is no /proc here" }, "true", 0],
  ])("a test skipped with %j and CI=%j makes the exit code %i", (meta, ci, code) => {
    write("a.json", { status: "passed", tests: ["passed", "skipped"], meta });
    const { status, stdout, stderr } = summarise(ci);
    expect({ status, stdout }).toEqual({ status: code, stdout: "1 passed, 0 failed, 1 skipped\n" });
    expect(stderr).toContain("a.json/0.test.ts > it: 1 test");
    expect(stderr.includes("expected nothing to be left out in CI")).toBe(code === 1);
  });

  it("with --whole the reports must show each requirement, by tests that passed", () => {
    write("a.json", { status: "passed", tests: ["passed"] });
    const program = join(import.meta.dirname, "summarise-reports.ts");
    const run = spawnSync(process.execPath, [program, "--whole", join(folder, "a.json")], { encoding: "utf8" });
    expect(run).toMatchObject({ status: 1, stdout: "1 passed, 0 failed, 0 skipped\n" });
    expect(run.stderr).toContain("a requirement that no passed test of the file shows: MET-5: test/monitoring/");
  });
});

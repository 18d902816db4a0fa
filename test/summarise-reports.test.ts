import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readReports, renderFailure, renderTotals } from "./summarise-reports.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "pallas-reports-"))));
afterEach(() => rmSync(folder, { recursive: true }));

interface ReportedFile {
  status: string;
  tests: string[];
  message?: string;
}

function write(name: string, ...files: ReportedFile[]): void {
  const testResults = files.map(({ status, tests, message }, index) => ({
    name: `${name}/${index}.test.ts`,
    status,
    message,
    assertionResults: tests.map((each) => ({
      status: each,
      fullName: `it has ${each}`,
      failureMessages: each === "failed" ? ["AssertionError: \u001b[31mexpected 1 to be 2\u001b[39m\n    at here"] : [],
    })),
  }));
  writeFileSync(join(folder, name), JSON.stringify({ testResults }));
}

it("adds up all reports of a folder; what neither passed nor failed was skipped", () => {
  write(
    "vitest.json",
    { status: "failed", tests: ["passed", "failed", "skipped", "todo"] },
    { status: "passed", tests: ["passed"] },
  );
  write("e2e.json", { status: "passed", tests: ["passed", "pending"] });
  writeFileSync(join(folder, "vitest.junit.xml"), "<testsuites/>");
  expect(renderTotals(readReports(folder))).toBe("3 passed, 1 failed, 3 skipped");
});

it("says of a failure where it is and why, without colours", () => {
  write("vitest.json", { status: "failed", tests: ["passed", "failed"] });
  expect(readReports(folder).failures.map(renderFailure)).toEqual([
    "failed: vitest.json/0.test.ts > it has failed\n  AssertionError: expected 1 to be 2\n      at here",
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
  const summary = readReports(folder);
  expect(renderTotals(summary)).toBe("0 passed, 2 failed, 2 skipped");
  expect(summary.failures.map(renderFailure)[0]).toBe("failed: vitest.json/0.test.ts\n  Cannot find module");
});

it("gives zeros without reports, and refuses one it cannot read", () => {
  expect(readReports(join(folder, "absent"))).toEqual({ passed: 0, skipped: 0, failures: [] });
  writeFileSync(join(folder, "broken.json"), "{}");
  expect(() => readReports(folder)).toThrow(/testResults/);
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTotals, renderTotals } from "./summarise-reports.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "pallas-reports-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, ...files: { status: string; tests: string[] }[]): void {
  const testResults = files.map(({ status, tests }) => ({
    status,
    assertionResults: tests.map((each) => ({ status: each })),
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
  expect(renderTotals(readTotals(folder))).toBe("3 passed, 1 failed, 3 skipped");
});

it("counts a file that failed as a whole as one failure", () => {
  write("vitest.json", { status: "failed", tests: [] }, { status: "failed", tests: ["skipped", "skipped"] });
  expect(readTotals(folder)).toEqual({ passed: 0, failed: 2, skipped: 2 });
});

it("gives zeros without reports, and refuses one it cannot read", () => {
  expect(readTotals(join(folder, "absent"))).toEqual({ passed: 0, failed: 0, skipped: 0 });
  writeFileSync(join(folder, "broken.json"), "{}");
  expect(() => readTotals(folder)).toThrow(/testResults/);
});

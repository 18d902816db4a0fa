/**
 * Adds up the JSON reports of the test runners: prints `N passed, N failed, N skipped`, and on standard error what failed
 * and why, so that the end of a long log says it all. A file that failed before any of its tests ran counts as one failure.
 * Usage: node test/summarise-reports.ts FOLDER
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";

/** Of a failure's message: what was expected and found, and the first frames of where. */
const maxReasonLines = 12;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});

export interface Summary {
  passed: number;
  skipped: number;
  failures: Failure[];
}

interface Failure {
  file: string;
  /** Absent when the file failed as a whole. */
  test?: string;
  reason: string;
}

/** Over every *.json report in `folder`; nothing when there is none. Throws on a report it cannot read. */
export function readReports(folder: string): Summary {
  const summary: Summary = { passed: 0, skipped: 0, failures: [] };
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  for (const name of names) {
    const report = reportSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    for (const { name: file, status, message, assertionResults } of report.testResults) {
      const failed = assertionResults.filter((assertion) => assertion.status === "failed");
      const passed = assertionResults.filter((assertion) => assertion.status === "passed");
      summary.passed += passed.length;
      summary.skipped += assertionResults.length - passed.length - failed.length; // skipped, pending, todo, disabled
      for (const { fullName, failureMessages } of failed)
        summary.failures.push({ file, test: fullName, reason: failureMessages.join("\n") });
      if (status === "failed" && failed.length === 0) summary.failures.push({ file, reason: message });
    }
  }
  return summary;
}

export const renderTotals = ({ passed, failures, skipped }: Summary): string =>
  `${passed} passed, ${failures.length} failed, ${skipped} skipped`;

/** The test with its file, and the beginning of the reason below it. */
export function renderFailure({ file, test, reason }: Failure): string {
  const lines = stripVTControlCharacters(reason).trimEnd().split("\n").slice(0, maxReasonLines);
  return [`failed: ${file}${test === undefined ? "" : ` > ${test}`}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("name the folder of the reports: node test/summarise-reports.ts FOLDER");
  const summary = readReports(folder);
  for (const failure of summary.failures) process.stderr.write(`${renderFailure(failure)}\n`);
  process.stdout.write(`${renderTotals(summary)}\n`);
}

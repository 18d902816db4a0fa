/**
 * Adds up the JSON reports of the test runners and prints `N passed, N failed, N skipped`.
 * A file that failed before any of its tests ran counts as one failure. Usage: node test/summarise-reports.ts FOLDER
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** Totals over every *.json report in `folder`; zeros when there is none. Throws on a report it cannot read. */
export function readTotals(folder: string): Totals {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  for (const name of names) {
    const report = reportSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
    for (const { status, assertionResults } of report.testResults) {
      for (const assertion of assertionResults) totals[classify(assertion.status)] += 1;
      if (status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"))
        totals.failed += 1;
    }
  }
  return totals;
}

function classify(status: string): keyof Totals {
  if (status === "passed" || status === "failed") return status;
  return "skipped"; // skipped, pending, todo, disabled
}

export function renderTotals({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("name the folder of the reports: node test/summarise-reports.ts FOLDER");
  process.stdout.write(`${renderTotals(readTotals(folder))}\n`);
}

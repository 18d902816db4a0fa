// Adds up the JSON reports of the test runners: prints `N passed, N failed, N skipped`, and on standard error what failed
// and why and what was skipped, so that the end of a long log says it all. A file that failed before any of its tests ran
// counts as one failure. A test that passed at its second attempt only counts as passed and is named. So is each requirement
// of which a cited file has shown nothing; where the reports are those of all tests, `--whole`, that is a failure. In CI a skip is one
// too, unless the platform cannot show what is tested.
// Usage: node test/summarise-reports.ts [--whole] REPORT…
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { requirements } from "./requirements.ts";
import { findUnshown } from "./requirements/shown-by-run.ts";

/** Of a failure's message: what was expected and found, and the first frames of where. */
const maxReasonLines = 12;

/** By what `needs` and `needsPlatform` leave with a test. */
const metaSchema = z.object({ missing: z.string().optional(), platform: z.string().optional() });

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          ancestorTitles: z.array(z.string()).default([]),
          failureMessages: z.array(z.string()).default([]),
          meta: metaSchema.default({}),
        }),
      ),
    }),
  ),
});

export interface Summary {
  passed: number;
  failures: Failure[];
  skips: Skip[];
  /** Those of the passed tests that failed at first. */
  unsteady: Failure[];
  /** By file: whole names of the tests that passed, or that the platform cannot show. */
  shown: Map<string, string[]>;
}

interface Failure {
  file: string;
  /** Absent when the file failed as a whole. */
  test?: string;
  reason: string;
}

interface Skip {
  file: string;
  /** The outermost `describe` around the test, or the test itself. */
  group: string;
  /** Why; undefined where the test does not say. */
  reason: string | undefined;
  isByPlatform: boolean;
}

/** Over all of these reports. Throws on one it cannot read. */
export function readReports(paths: readonly string[]): Summary {
  const summary: Summary = { passed: 0, failures: [], skips: [], unsteady: [], shown: new Map() };
  for (const path of paths) {
    const report = reportSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    for (const { name, status, message, assertionResults } of report.testResults) {
      const file = relative(process.cwd(), name);
      const shown = summary.shown.get(file) ?? [];
      summary.shown.set(file, shown);
      const failed = assertionResults.filter((assertion) => assertion.status === "failed");
      for (const { fullName, failureMessages } of failed) {
        summary.failures.push({ file, test: fullName, reason: failureMessages.join("\n") });
      }
      if (status === "failed" && failed.length === 0) summary.failures.push({ file, reason: message });
      for (const { status: ended, fullName, ancestorTitles, meta, failureMessages } of assertionResults) {
        if (ended === "passed") summary.passed += 1;
        if (ended === "passed" || meta.platform !== undefined) shown.push(fullName);
        if (ended === "passed" && failureMessages.length > 0) {
          summary.unsteady.push({ file, test: fullName, reason: failureMessages.join("\n") });
        }
        if (ended === "passed" || ended === "failed") continue; // the rest did not run
        const isByPlatform = meta.platform !== undefined;
        const group = ancestorTitles[0] ?? fullName;
        summary.skips.push({ file, group, reason: meta.platform ?? meta.missing, isByPlatform });
      }
    }
  }
  return summary;
}

export const renderTotals = ({ passed, failures, skips }: Pick<Summary, "passed" | "failures" | "skips">): string =>
  `${passed} passed, ${failures.length} failed, ${skips.length} skipped`;

/** The test with its file, and the beginning of the reason below it. */
export const renderFailure = (failure: Failure): string => render("failed", failure);

function render(word: string, { file, test, reason }: Failure): string {
  const lines = stripVTControlCharacters(reason).trimEnd().split("\n").slice(0, maxReasonLines);
  return [`${word}: ${file}${test === undefined ? "" : ` > ${test}`}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Each reason with what was skipped for it: the file, the group in it and how many. */
export function renderSkips(skips: readonly Skip[]): string[] {
  return [...Map.groupBy(skips, ({ reason }) => reason)].flatMap(([reason, all]) => {
    const groups = Map.groupBy(all, ({ file, group }) => `${file} > ${group}`);
    return [
      `skipped: ${reason ?? "no reason given; see TESTS LEFT OUT above, or a beforeAll that failed"}`,
      ...[...groups].map(([name, { length }]) => `  ${name}: ${length} ${length === 1 ? "test" : "tests"}`),
    ];
  });
}

if (import.meta.main) {
  const paths = process.argv.slice(2).filter((argument) => argument !== "--whole");
  const isWhole = process.argv.includes("--whole");
  const summary = readReports(paths);
  const isCi = Boolean(process.env["CI"]);
  const unshown = findUnshown(requirements, summary.shown, isWhole);
  const unseen = summary.skips.filter(({ isByPlatform }) => !isByPlatform);
  const lines = [
    ...summary.unsteady.map((each) => render("passed at the second attempt only", each)),
    ...summary.failures.map(renderFailure),
    ...renderSkips(summary.skips),
    ...unshown.map((each) => `a requirement that no passed test of the file shows: ${each}`),
  ];
  if (isWhole && unshown.length > 0) process.exitCode = 1;
  if (isCi && unseen.length > 0) {
    lines.push(`expected nothing to be left out in CI, found ${unseen.length} skipped tests; see the reasons above`);
    process.exitCode = 1;
  }
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.stdout.write(`${renderTotals(summary)}\n`);
}

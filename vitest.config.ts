// `unit` needs nothing but Node; `integration` runs against a real API server and the built programs; `rights` runs after
// them and compares the calls that were made with the rights that are granted. `make compat` runs `compat`. `make e2e` runs `machine`, the tests of the
// cluster with a node, and then `e2e`, the tests that use it. `make` has their results written to test/.artefacts/reports,
// where test/summarise-reports.ts adds them up.
import { defineConfig } from "vitest/config";

const wholeRun = "test/rights/whole-run.test.ts";
/** A wait ends as soon as what it waits for is there; see test/patience.ts. */
const patient = { setupFiles: ["test/patience.ts"], expect: { poll: { timeout: 10_000 } } };
/** Of tests with real servers and deadlines, on machines that do other things too; what needed it is named at the end. */
const retry = process.env["CI"] ? 1 : 0;
const sourceFolders = [
  "crds",
  "plan",
  "lib",
  "operator",
  "agent-runtime",
  "registry",
  "gateway",
  "bridge",
  "dashboard",
  "cli",
  "images",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          ...patient,
          retry,
          // Far above what any takes: a busy machine is no problem of theirs.
          testTimeout: 30_000,
          include: [
            ...sourceFolders.map((folder) => `${folder}/**/*.test.{ts,tsx}`),
            "test/*.test.ts",
            "test/{bench,docs,gateway,models,monitoring,mutants,python,rights,tools}/**/*.test.ts",
          ],
          exclude: [wholeRun],
        },
      },
      {
        test: {
          name: "integration",
          ...patient,
          retry,
          include: ["test/{integration,cluster,conformance,chart,dashboard}/**/*.test.ts"],
          globalSetup: ["test/build-setup.ts", "test/cluster/global-setup.ts"],
          pool: "forks",
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "compat",
          ...patient,
          retry,
          include: ["test/compat/**/*.test.ts"],
          globalSetup: ["test/build-setup.ts"],
          pool: "forks",
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
      { test: { name: "rights", include: [wholeRun], sequence: { groupOrder: 1 } } },
      {
        test: {
          name: "machine",
          ...patient,
          retry,
          include: ["test/machine/**/*.test.ts"],
          globalSetup: ["test/cluster/node/machine-tools.ts"],
          pool: "forks",
          // A machine has one cluster.
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "e2e",
          ...patient,
          retry,
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          pool: "forks",
          // They share the node, and one of them drains it.
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

// Command line: makes sure that the test API server's programs exist, so that a test run does not start with minutes of
// silence. Exits 0 without them too (the tests that need them are then left out), except in CI.

import { findBinaries } from "./binaries.ts";

const found = await findBinaries();
if ("missing" in found) {
  process.stderr.write(`no test API server: ${found.missing}\n`);
  process.exitCode = process.env["CI"] ? 1 : 0;
} else {
  process.stderr.write(`test API server (${found.source}): ${found.kubeApiserver}\n`);
}

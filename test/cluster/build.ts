// Command line: makes sure that the programs of test clusters exist, so that a test run does not start with minutes of
// silence. Without arguments those of `make test`, with `node` all. Exits 0 without them too (the tests that need them
// are then left out), except in CI.

import { findBinaries } from "./binaries.ts";
import type { ProgramSet } from "./cluster-sources.ts";
import type { Missing } from "./go-build.ts";
import { findPrograms } from "./programs.ts";

const [wanted] = process.argv.slice(2);
if (wanted !== undefined && wanted !== "node") {
  process.stderr.write(`expected no argument or \`node\`, found \`${wanted}\`\n`);
  process.exit(2);
}

const sets: readonly ProgramSet[] = wanted === "node" ? ["chart", "node", "probe"] : ["chart"];
report(
  "test API server",
  await findBinaries().then((found) => ("missing" in found ? found : { ...found, dir: found.kubeApiserver })),
);
for (const set of sets) report(set, await findPrograms(set));

function report(name: string, found: Missing | { readonly source: string; readonly dir: string }): void {
  if ("missing" in found) {
    process.stderr.write(`no ${name}: ${found.missing}\n`);
    process.exitCode = process.env["CI"] ? 1 : 0;
  } else {
    process.stderr.write(`${name} (${found.source}): ${found.dir}\n`);
  }
}

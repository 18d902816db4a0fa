// What a test needs beside Node, as options of `describe` and `it`: without it the test is left out, and the report of the
// run says why. In CI nothing is left out unseen: there a missing program is an error, and only what a platform cannot
// show is skipped.
import { findProgram } from "./find-program.ts";
import { toolPackages, type ToolPackage, type ToolProgram } from "./packages.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Which programs are missing, and the cure. */
    missing?: string;
    /** What this platform, checkout or cluster cannot show. */
    platform?: string;
  }
}

export interface Needs {
  readonly skip: boolean;
  readonly meta: { readonly missing?: string; readonly platform?: string };
}

const nothing: Needs = { skip: false, meta: {} };

/** Programs of packages.ts. Throws in CI where one is missing. */
export function needs(...programs: readonly ToolProgram[]): Needs {
  const absent = programs.filter((program) => findProgram(program) === undefined);
  if (absent.length === 0) return needsPresent(undefined);
  const named = new Set<string>(absent);
  const packages = toolPackages.filter((each: ToolPackage) => each.programs.some((program) => named.has(program)));
  return needsPresent(
    `expected ${absent.join(", ")} on this machine, found none; ` +
      `\`make tools\` installs it (Debian: ${packages.map(({ name }) => name).join(", ")})`,
  );
}

/** @param missing what the test needs, what was found and the cure; undefined where it is there. In CI that throws. */
export function needsPresent(missing: string | undefined): Needs {
  if (missing === undefined) return nothing;
  if (process.env["CI"]) throw new Error(missing);
  process.stderr.write(`\n*** TESTS LEFT OUT: ${missing} ***\n\n`);
  return { skip: true, meta: { missing } };
}

/** @param lack what the platform lacks, as the report has it; undefined where the test can run */
export const needsPlatform = (lack: string | undefined): Needs =>
  lack === undefined ? nothing : { skip: true, meta: { platform: lack } };

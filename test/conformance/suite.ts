// Runs the conformance suite's command line against a server or our client, and reads what it found, scenario by scenario.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import * as z from "zod";

const command = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const maxRunMs = 50_000;

export const revisions = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

const requirementSet = z.object({
  server: z.array(z.string()),
  client: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.enum(["server", "client"]) })),
});

/** The scenarios of one side that a revision asks for: those that count, and those that are run beside them. */
export async function readScenarios(revision: Revision, leg: "server" | "client") {
  const file = join(dirname(command), "..", "requirements", `${revision}.yaml`);
  const set = requirementSet.parse(load(await readFile(file, "utf8")));
  const unscored = set.not_scored.filter((entry) => entry.leg === leg).map(({ scenario }) => scenario);
  return { scored: set[leg], unscored };
}

const checkList = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().exactOptional() }));
export type Checks = z.output<typeof checkList>;

/** What failed, one line a check; a warning is a SHOULD that was not kept, and counts here. */
export const renderFailures = (checks: Checks): string[] =>
  checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ id, status, errorMessage = "" }) => `${status} ${id}: ${errorMessage}`);

/** Runs the suite with `args` and returns the checks by scenario. Its exit code is not looked at: the checks say it all. */
export async function runSuite(args: string[]): Promise<Map<string, Checks>> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-conformance-"));
  try {
    const output = await execute([...args, "-o", folder]);
    const found = new Map<string, Checks>();
    for (const entry of await readdir(folder, { recursive: true })) {
      const scenario = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/.exec(entry)?.[1];
      if (scenario !== undefined) {
        found.set(scenario, checkList.parse(JSON.parse(await readFile(join(folder, entry), "utf8"))));
      }
    }
    if (found.size === 0) throw new Error(`the conformance suite left no results: ${output}`);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const execute = (args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { timeout: maxRunMs, maxBuffer: 2 ** 26 }, (_, out, error) =>
      resolve(`${out}${error}`),
    );
  });

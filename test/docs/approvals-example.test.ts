// The example of a policy that asks: accepted as it is in a cluster and on one machine, and deciding of its calls as it says.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tryPolicy } from "../../cli/policy/try-policy.ts";
import { readFolder, recordTerminal } from "../../cli/testing/manifests.ts";
import { checkManifests } from "../../plan/check.ts";
import { root } from "./pages.ts";

const folder = join(root, "examples/approvals");

test.each(["cluster", "local"] as const)("examples/approvals is accepted as it is: %s", async (mode) => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const files = names.map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);
  const { resources, diagnostics } = await readFolder(Object.fromEntries(files));
  const { problems, runnable } = checkManifests(resources, { mode });
  const told = problems.map(({ subject, path, message }) => `${subject}: ${path}: ${message}`);
  expect([...diagnostics.map(({ message }) => message), ...told]).toEqual([]);
  expect(runnable).toHaveLength(1);
});

test("CLI-5 its policy decides of its calls as the file expects", async () => {
  const terminal = recordTerminal(folder);
  const options = { paths: [folder] as [string], policy: undefined, calls: join(folder, "calls.jsonl"), json: false };
  expect(await tryPolicy(options, terminal)).toBe(0);
  expect(terminal.printed.at(-1)).toBe("5 calls, all as expected");
});

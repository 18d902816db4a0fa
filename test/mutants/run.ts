// Makes each mistake of the list in a copy of the tree and runs the unit tests that could notice: a mutant that no test
// fails on has survived. Prints a line each, with the test that killed it, and the share that was killed, by list; a
// survivor that is not explained, or a share below the goal, is exit code 1. Names of files or folders as arguments choose
// among the mutants.
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { allMutants, mutantLists } from "./lists.ts";
import { applyMutant, type Mutant } from "./mutant.ts";

const run = promisify(execFile);
const say = (line: string) => process.stdout.write(`${line}\n`);
const root = join(import.meta.dirname, "../..");
const goal = 0.9;
/** A mutant that makes a test wait for ever counts as killed after this. */
const timeoutMs = 300_000;

/** Tests of the file's own name, which mostly are enough, and all that import it, however far away. */
const scopes = {
  beside: (files: readonly string[]) => ["run", "--passWithNoTests", ...files.map((file) => file.replace(/\.ts$/, ""))],
  related: (files: readonly string[]) => ["related", "--run", ...files],
};

async function copyTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "pallas-mutants-"));
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", listing, { cwd: root, maxBuffer: 2 ** 24 });
  for (const file of stdout.split("\0").filter((name) => name !== "")) await cp(join(root, file), join(copy, file));
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs the tests until the first that fails, which is returned. */
async function firstFailure(
  tree: string,
  scope: keyof typeof scopes,
  files: readonly string[],
): Promise<string | undefined> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  // A busy machine kills no mutant: what fails must fail twice.
  const options = ["--project=unit", "--bail=1", "--retry=1", "--reporter=dot", "--maxWorkers=1"];
  try {
    await run(process.execPath, [vitest, ...scopes[scope](files), ...options], {
      cwd: tree,
      env: { ...process.env, NO_COLOR: "1" },
      timeout: timeoutMs * files.length,
      maxBuffer: 2 ** 26,
    });
    return undefined;
  } catch (error) {
    if (Reflect.get(Object(error), "killed") === true) return "a test that did not end";
    const output = `${Reflect.get(Object(error), "stderr")}\n${Reflect.get(Object(error), "stdout")}`;
    return /^ *FAIL +\|unit\| (.*)$/m.exec(output)?.[1] ?? output.slice(-2_000);
  }
}

/** The test that fails on the mutant; undefined when it survived. */
async function judge(tree: string, mutant: Mutant): Promise<string | undefined> {
  const restore = await applyMutant(tree, mutant);
  try {
    return (await firstFailure(tree, "beside", [mutant.file])) ?? (await firstFailure(tree, "related", [mutant.file]));
  } finally {
    await restore();
  }
}

async function judgeAll(mutants: readonly Mutant[], trees: readonly [string, ...string[]]): Promise<number> {
  const files = [...new Set(mutants.map(({ file }) => file))];
  const problem = (await firstFailure(trees[0], "beside", files)) ?? (await firstFailure(trees[0], "related", files));
  if (problem !== undefined) throw new Error(`a unit test fails without any mutant; mend it first: ${problem}`);
  const survivors: Mutant[] = [];
  await inTurn(mutants, trees, async (mutant, tree) => {
    const killer = await judge(tree, mutant);
    if (killer === undefined) survivors.push(mutant);
    say(`${killer === undefined ? "SURVIVED" : "killed"} ${mutant.file}: ${mutant.breaks}`);
    say(`    ${killer ?? mutant.equivalent ?? "no unit test fails on it"}`);
  });
  for (const [name, list] of Object.entries(mutantLists)) {
    const tried = mutants.filter((mutant) => list.includes(mutant));
    if (tried.length > 0) say(`${name}: ${renderKilled(tried, survivors)}`);
  }
  say(renderKilled(mutants, survivors));
  const share = 1 - survivors.length / mutants.length;
  return survivors.some(({ equivalent }) => equivalent === undefined) || share < goal ? 1 : 0;
}

function renderKilled(tried: readonly Mutant[], survivors: readonly Mutant[]): string {
  const killed = tried.filter((mutant) => !survivors.includes(mutant)).length;
  return `${killed} of ${tried.length} killed (${Math.floor((killed / tried.length) * 100)} %)`;
}

/** Each item once, one at a time in each tree. */
async function inTurn<T>(
  items: readonly T[],
  trees: readonly string[],
  work: (item: T, tree: string) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    trees.map(async (tree) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item, tree);
    }),
  );
}

async function main(chosen: readonly string[]): Promise<number> {
  const mutants = allMutants.filter(({ file }) => chosen.length === 0 || chosen.some((name) => file.startsWith(name)));
  if (mutants.length === 0) throw new Error(`expected files that have mutants, found none for ${chosen.join(" ")}`);
  const trees: [string, ...string[]] = [await copyTree()];
  while (trees.length < availableParallelism()) trees.push(await copyTree());
  try {
    return await judgeAll(mutants, trees);
  } finally {
    await Promise.all(trees.map((tree) => rm(tree, { recursive: true })));
  }
}

process.exitCode = await main(process.argv.slice(2));

// Command line of `make bench`: runs one benchmark by name, or all of them one after another, each in a process of its
// own. A benchmark that misses a goal or cannot run makes the exit code 1; the others still run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const ending = ".bench.ts";
const [asked] = process.argv.slice(2);

const known = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  .toSorted();
if (asked !== undefined && !known.includes(asked)) {
  process.stderr.write(`expected NAME to be one of ${known.join(", ")}, found "${asked}"\n`);
  process.exit(1);
}

for (const name of asked === undefined ? known : [asked]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}${ending}`)], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exitCode = 1;
}

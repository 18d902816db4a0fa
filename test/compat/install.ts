// Command line: installs all packages of others that `make compat` starts, so that no test waits for a download: those of npm
// and Python, and the programs that Go builds. Minutes the first time, then nothing. Exits 0 without Python or Go too (the
// tests that need them are then left out), except in CI.
import { findPrograms } from "../cluster/programs.ts";
import { openEnvironment, type Requirements } from "../python/environment.ts";
import { findInterpreter, leastMinor } from "../python/interpreter.ts";
import { openNpmPackages } from "./npm-packages.ts";

const environments: readonly Requirements[] = [
  1,
  2,
  "fastmcp",
  "servers",
  "langchain",
  "hosts",
  "llama-index",
  "mcp-use",
  "uv",
];

async function installNpm(): Promise<void> {
  for (const set of ["servers", "clients"] as const) report(await openNpmPackages(set));
}

async function installPython(): Promise<void> {
  const python = await findInterpreter(leastMinor);
  if ("missing" in python) return leaveOut(python.missing);
  for (const each of environments) report(await openEnvironment(python, each));
}

async function installGo(): Promise<void> {
  const found = await findPrograms("go-sdk");
  if ("missing" in found) return leaveOut(found.missing);
  report(found.dir);
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

function leaveOut(missing: string): void {
  report(`left out: ${missing}`);
  if (process.env["CI"]) process.exitCode = 1;
}

await Promise.all([installNpm(), installPython(), installGo()]);

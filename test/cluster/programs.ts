// Finds the programs of a set in the cache, or builds them there. Refuses half a folder: what is cached is complete.

import { access, constants } from "node:fs/promises";
import { join } from "node:path";

import { cacheFolder } from "../cache-folder.ts";
import { readProgramSources } from "./cluster-sources.ts";
import type { ProgramSet, ProgramSources } from "./cluster-sources.ts";
import { buildPrograms } from "./go-build.ts";
import type { Missing } from "./go-build.ts";

export interface ProgramSearch {
  /** Read for KUBEBUILDER_ASSETS, XDG_CACHE_HOME, HOME and by Go. Default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** The folder of the Go modules. Default: the one beside this file. */
  readonly sourceDir?: string;
  /** Takes one line of progress. Default: standard error. */
  readonly report?: (line: string) => void;
  /** What a user without Go can do instead. */
  readonly otherCure?: string;
}

export interface ProgramFolder {
  readonly source: "cache" | "build";
  /** Absolute; holds a file for every program of the set. */
  readonly dir: string;
}

/** Finds the programs or builds them (minutes, once). */
export async function findPrograms(set: ProgramSet, search: ProgramSearch = {}): Promise<ProgramFolder | Missing> {
  const { env = process.env, otherCure } = search;
  const sources = await readProgramSources(set, search.sourceDir);
  const dir = cacheFolder(["cluster", sources.cacheKey], env);
  const needed = namePrograms(sources);
  if ((await findAbsent(dir, needed)).length === 0) return { source: "cache", dir };

  const report = search.report ?? ((line) => process.stderr.write(`${line}\n`));
  const missing = await buildPrograms({ sources, target: dir, env, report, ...(otherCure && { otherCure }) });
  if (missing !== undefined) return missing;
  const absent = await findAbsent(dir, needed);
  if (absent.length === 0) return { source: "build", dir };
  throw new Error(`expected ${absent.join(", ")} in ${dir} after the build; delete that folder and try again`);
}

/** Like `findPrograms`, but an error that names the cure when they cannot be had. */
export async function requirePrograms(set: ProgramSet): Promise<ProgramFolder> {
  const found = await findPrograms(set);
  if ("missing" in found) throw new Error(found.missing);
  return found;
}

/** Like `findPrograms`, but never builds: undefined when that would be needed. */
export async function findInstalledPrograms(
  set: ProgramSet,
  { env = process.env, sourceDir }: ProgramSearch = {},
): Promise<ProgramFolder | undefined> {
  const sources = await readProgramSources(set, sourceDir);
  const dir = cacheFolder(["cluster", sources.cacheKey], env);
  return (await findAbsent(dir, namePrograms(sources))).length === 0 ? { source: "cache", dir } : undefined;
}

/** Those of `names` that are no executable files in `dir`. */
export async function findAbsent(dir: string, names: readonly string[]): Promise<string[]> {
  const present = await Promise.all(names.map((name) => isExecutable(join(dir, name))));
  return names.filter((_, index) => present[index] !== true);
}

function namePrograms({ programs, aliases }: ProgramSources): string[] {
  return [...programs.map(({ output }) => output), ...aliases.flatMap(({ names }) => names)];
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false, // absent, not executable or not reachable: to the caller all the same
  );
}

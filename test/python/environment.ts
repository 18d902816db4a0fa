// Virtual environments with packages of others, one for each set of requirements beside this file, kept in the user's cache
// folder and made once per set and Python. Nothing is built: what has no wheel is not installed. A machine without a usable
// Python is told so in one line and its tests are left out; in CI that is an error, so nothing is left out unseen.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../cache-folder.ts";
import { installOnce } from "../cached-installation.ts";
import { findInterpreter, leastMinor, type Python } from "./interpreter.ts";

const run = promisify(execFile);

/** The generation of the `mcp` package, or what else is in it: the file's ending. */
export type Requirements =
  | 1
  | 2
  | "metrics"
  | "servers"
  | "fastmcp"
  | "langchain"
  | "hosts"
  | "llama-index"
  | "mcp-use"
  | "contextforge"
  | "uv";

export interface PythonSearch {
  /** Read for PATH, CI, XDG_CACHE_HOME and HOME, and handed to Python. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Takes one line. Default: standard error. */
  report?: (line: string) => void;
}

/** Of hundreds of packages, beside other work. */
const installTimeoutMs = 900_000;
const interpreterPath = join("bin", "python");

/** The machine's Python. Undefined when there is none that can make environments; in CI that throws. */
export async function findPython({ env = process.env, report = writeLine }: PythonSearch = {}): Promise<
  Python | undefined
> {
  const found = await findInterpreter(leastMinor, env);
  if (!("missing" in found)) return found;
  if (env["CI"]) throw new Error(found.missing);
  report(`\n*** TESTS LEFT OUT: ${found.missing} ***\n`);
  return undefined;
}

/**
 * The interpreter of an environment; made with pip when it is not there yet, by one process at a time.
 * Throws when pip cannot install.
 */
export async function openEnvironment(
  python: Python,
  wanted: Requirements,
  { env = process.env, report = writeLine }: PythonSearch = {},
): Promise<string> {
  const requirements = join(import.meta.dirname, `requirements-${wanted}.txt`);
  const folder = join(cacheFolder(["python"], env), renderKey(python, await readFile(requirements)));
  await installOnce({
    folder,
    witness: interpreterPath,
    title: `requirements-${wanted}.txt of the Python tests`,
    timeoutMs: installTimeoutMs,
    report,
    async install(partial) {
      const options = { env, timeout: installTimeoutMs };
      await run(python.executable, ["-m", "venv", partial], options);
      const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"];
      // The file names all that is needed.
      const only = ["--no-deps", "--only-binary=:all:"];
      await run(join(partial, interpreterPath), [...pip, ...only, "-r", requirements], options);
    },
  });
  return join(folder, interpreterPath);
}

const renderKey = (python: Python, requirements: Buffer): string =>
  createHash("sha256").update(python.identity).update(requirements).digest("hex").slice(0, 16);

const writeLine = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Virtual environments with the Python SDK of MCP, one for each of its generations, and one with Prometheus' client, kept in the user's cache folder and made
 * once per set of requirements and Python. A machine without a usable Python is told so in one line and its tests are left
 * out; in CI that is an error, so nothing is left out unseen.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../cache-folder.ts";
import { withLock } from "../cluster/build-lock.ts";
import { findInterpreter, leastMinor, type Python } from "./interpreter.ts";

const run = promisify(execFile);

/** The generation of the `mcp` package, or the client of Prometheus. */
export type Requirements = 1 | 2 | "metrics";

export interface PythonSearch {
  /** Read for PATH, CI, XDG_CACHE_HOME and HOME, and handed to Python. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Takes one line. Default: standard error. */
  report?: (line: string) => void;
}

const installTimeoutMs = 300_000;
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
  const interpreter = join(folder, "bin", "python");
  if (await exists(interpreter)) return interpreter;
  await mkdir(dirname(folder), { recursive: true });
  const onWait = (owner: number) => report(`waiting for process ${owner}, which installs requirements-${wanted}.txt`);
  await withLock(`${folder}.lock`, { pollMs: 200, timeoutMs: 2 * installTimeoutMs, onWait }, async () => {
    if (await exists(interpreter)) return;
    report(`installing requirements-${wanted}.txt of the Python tests into ${folder}`);
    await removePartial(folder);
    await install({ python, requirements, folder, env });
  });
  return interpreter;
}

interface Installation {
  python: Python;
  requirements: string;
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** Beside its place and then renamed, so that a folder of this name is always whole. */
async function install({ python, requirements, folder, env }: Installation): Promise<void> {
  const partial = await mkdtemp(`${folder}.partial-`);
  const options = { env, timeout: installTimeoutMs };
  try {
    await run(python.executable, ["-m", "venv", partial], options);
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"];
    await run(join(partial, "bin", "python"), [...pip, "-r", requirements], options);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw new Error(`expected pip to install ${requirements}, but it failed; see the cause, and try again`, {
      cause: error,
    });
  }
}

/** What an installation that was killed has left. */
async function removePartial(folder: string): Promise<void> {
  const names = await readdir(dirname(folder));
  const paths = names
    .map((name) => join(dirname(folder), name))
    .filter((path) => path.startsWith(`${folder}.partial-`));
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

const renderKey = (python: Python, requirements: Buffer): string =>
  createHash("sha256").update(python.identity).update(requirements).digest("hex").slice(0, 16);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false, // absent or not reachable: to the caller all the same
  );

const writeLine = (line: string): void => void process.stderr.write(`${line}\n`);

// Finds a Python that runs. One of a name is not enough: pyenv puts a shim on PATH for every version that is installed,
// and the shims of those that are not selected fail. So each is tried, those on PATH first and then pyenv's own.
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Python {
  /** Absolute path. */
  executable: string;
  /** Differs where an environment made by one Python cannot serve another. */
  identity: string;
}

/** Of 3.x: what the packages that the tests pin run on. */
export const leastMinor = 11;
const probeTimeoutMs = 15_000;

const renderProbe = (minor: number): string => `
import sys, platform
if sys.version_info < (3, ${minor}): sys.exit("Python " + platform.python_version())
import venv, ensurepip
print(sys.version, sys.base_prefix, platform.machine())
`;

/** The first of at least 3.`minor` that can make environments; else why the first of all was none. */
export async function findInterpreter(
  minor: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Python | { missing: string }> {
  const problems: string[] = [];
  for (const executable of await listInterpreters(minor, env)) {
    try {
      const { stdout } = await run(executable, ["-c", renderProbe(minor)], { env, timeout: probeTimeoutMs });
      return { executable, identity: stdout };
    } catch (error) {
      const said = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
      problems.push(`${said} (${executable})`);
    }
  }
  const found = problems[0] ?? "none on PATH";
  return {
    missing: `expected python3 ≥ 3.${minor} with venv and ensurepip, found: ${found}; install Python (Debian: python3-venv)`,
  };
}

async function listInterpreters(minor: number, env: NodeJS.ProcessEnv): Promise<string[]> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const listed = [...folders, ...(await listPyenvFolders(folders, env))].map((folder) => listIn(folder, minor));
  return (await Promise.all(listed)).flat();
}

/** The folders of the versions that pyenv has installed. */
async function listPyenvFolders(onPath: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const shims = onPath.filter((folder) => basename(folder) === "shims").map((folder) => dirname(folder));
  const roots = new Set([env["PYENV_ROOT"] ?? join(env["HOME"] ?? homedir(), ".pyenv"), ...shims]);
  const found = [...roots].map(async (root) =>
    (await list(join(root, "versions"))).map((version) => join(root, "versions", version, "bin")),
  );
  return (await Promise.all(found)).flat();
}

/** What is called python3 first, then those of the versions asked for, the oldest first. */
async function listIn(folder: string, minor: number): Promise<string[]> {
  const names = await list(folder);
  const versions = names
    .map((name) => Number(/^python3\.(\d+)$/.exec(name)?.[1] ?? Number.NaN))
    .filter((version) => version >= minor)
    .toSorted((a, b) => a - b);
  const wanted = [
    ...(names.includes("python3") ? ["python3"] : []),
    ...versions.map((version) => `python3.${version}`),
  ];
  return wanted.map((name) => join(folder, name));
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []); // PATH may name what is not there

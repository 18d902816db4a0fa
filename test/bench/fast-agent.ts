// The peer: fast-agent from PyPI in a virtual environment of its own, serving its passthrough model. Kept in the user's
// cache folder and made once. A machine that cannot have it is told why, and the benchmarks run without it.
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { cacheFolder } from "../cache-folder.ts";
import { findInterpreter } from "../python/interpreter.ts";
import { benchEnvironment } from "./environment.ts";
import { reportProgress } from "./report.ts";
import { startServer, type ServerUnderTest } from "./server-under-test.ts";

const version = "0.7.21";
const leastMinor = 13;
const installTimeoutMs = 900_000;
const run = promisify(execFile);

/** What its one agent is called, and so its tool. */
export const fastAgentTool = "agent";

export interface FastAgent {
  start(): Promise<ServerUnderTest>;
}

/** Installs it when it is not there yet; a sentence says why it cannot be had. */
export async function openFastAgent(): Promise<FastAgent | string> {
  try {
    const program = join(await install(), "bin", "fast-agent");
    return { start: () => startFastAgent(program) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.trim().split("\n").at(-1) ?? "") : String(error);
    return `Without fast-agent ${version}, which could not be installed: ${why}`;
  }
}

/** The environment's folder. The package asks for a newer 3.13 than some machines have, and runs on 3.13.0 all the same. */
async function install(): Promise<string> {
  const folder = cacheFolder([`fast-agent-${version}`]);
  if (await exists(folder)) return folder;
  reportProgress(`installing fast-agent ${version} into ${folder}`);
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}.partial-`);
  try {
    const options = { timeout: installTimeoutMs };
    await run(await findPython(), ["-m", "venv", partial], options);
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"];
    const wanted = ["--ignore-requires-python", `fast-agent-mcp==${version}`];
    await run(join(partial, "bin", "python"), [...pip, ...wanted], options);
    await rename(partial, folder);
    return folder;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function findPython(): Promise<string> {
  if (benchEnvironment.BENCH_PYTHON !== undefined) return benchEnvironment.BENCH_PYTHON;
  const found = await findInterpreter(leastMinor);
  if ("missing" in found) throw new Error(`${found.missing}, or name one in BENCH_PYTHON`);
  return found.executable;
}

async function startFastAgent(program: string): Promise<ServerUnderTest> {
  const port = await findFreePorts();
  const url = `http://127.0.0.1:${port}`;
  return startServer(async (dir) => ({
    name: "fast-agent",
    // The script's first line names the folder in which it was installed first.
    file: join(dirname(program), "python"),
    args: [
      program,
      "--no-update-check",
      "serve",
      "--model",
      "passthrough",
      "--transport",
      "http",
      "--port",
      String(port),
      "--env",
      join(dir, "env"),
      // Nothing is kept between calls, as by the agents beside it: its histories make each call dearer than the last.
      "--instance-scope",
      "request",
    ],
    url,
    readyUrl: `${url}/mcp`,
  }));
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false, // absent or not reachable: to the caller all the same
  );

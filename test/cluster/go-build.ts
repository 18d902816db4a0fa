// Builds a set of programs with the machine's Go into the cache: into a fresh folder first, then renamed, so that a
// folder under its final name is always complete. Says loudly how long it takes, because it happens once per change.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { withLock } from "./build-lock.ts";
import type { ProgramSources } from "./cluster-sources.ts";

const run = promisify(execFile);

const goVersionTimeoutMs = 120_000; // Go may fetch the toolchain that go.mod asks for
const buildTimeoutMs = 1_800_000;
const abandonedAfterMs = 2 * buildTimeoutMs;
const errorTailLines = 5;
const unfinishedPrefix = ".unfinished-";

/** Why binaries could not be made, as one sentence that names the cure. */
export interface Missing {
  readonly missing: string;
}

export interface BuildRequest {
  readonly sources: ProgramSources;
  /** The cache folder to fill; its parent holds the lock and the unfinished builds. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  /** What else can be done where Go is not to be had. */
  readonly otherCure?: string;
  readonly report: (line: string) => void;
}

/** Ensures that `target` exists. Returns undefined when it does, else why it does not. */
export async function buildPrograms(request: BuildRequest): Promise<Missing | undefined> {
  const { sources, target, report } = request;
  const env = { ...request.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
  const go = await observeGo(request, env);
  if (go !== undefined) return go;

  await mkdir(dirname(target), { recursive: true });
  const onWait = (pid: number): void => report(`process ${pid} is building ${sources.title}; waiting for it`);
  return withLock(`${target}.lock`, { pollMs: 250, timeoutMs: buildTimeoutMs, onWait }, async () => {
    if (await exists(target)) return undefined; // the one waited for has built it
    await removeAbandoned(dirname(target));
    return build(request, env);
  });
}

async function observeGo({ sources, otherCure }: BuildRequest, env: NodeJS.ProcessEnv): Promise<Missing | undefined> {
  const { title, dir, programs } = sources;
  const cure = ["install Go 1.26 or later (https://go.dev/dl)", otherCure]
    .filter((each) => each !== undefined)
    .join(", or ");
  try {
    const { stdout } = await run("go", ["env", "GOVERSION"], {
      cwd: join(dir, programs[0]?.module ?? ""),
      env,
      timeout: goVersionTimeoutMs,
    });
    if (isRecentGo(stdout)) return undefined;
    return { missing: `${title} needs Go 1.26 or later, found ${stdout.trim()}; ${cure}` };
  } catch (error) {
    return { missing: `${title} is not built and Go does not run here (${renderFailure(error)}); ${cure}` };
  }
}

/** Whether `go env GOVERSION`'s answer, for example `go1.26.8`, is 1.26 or later. */
export function isRecentGo(version: string): boolean {
  const [major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  return major > 1 || (major === 1 && minor >= 26);
}

async function build({ sources, target, report }: BuildRequest, env: NodeJS.ProcessEnv): Promise<Missing | undefined> {
  const { title } = sources;
  report(`building ${[title, sources.version].join(" ").trim()} once, ${sources.buildTime}…`);
  const startedAt = Date.now();
  const unfinished = await mkdtemp(join(dirname(target), unfinishedPrefix));
  try {
    for (const program of sources.programs) {
      const args = ["build", "-o", join(unfinished, program.output), ...program.arguments];
      await run("go", args, {
        cwd: join(sources.dir, program.module),
        env,
        timeout: buildTimeoutMs,
        maxBuffer: 2 ** 26,
      });
    }
    for (const { of, names } of sources.aliases) {
      for (const name of names) await symlink(of, join(unfinished, name));
    }
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (await exists(target)) return undefined;
    return { missing: `${title} could not be built: ${renderFailure(error)}; see test/cluster/README.md` };
  }
  report(`built ${title} in ${Math.round((Date.now() - startedAt) / 1000)} s: ${target}`);
  return undefined;
}

/** Removes what builders that were killed have left; a build in progress is younger than its time limit. */
async function removeAbandoned(cache: string): Promise<void> {
  const unfinished = (await readdir(cache)).filter((name) => name.startsWith(unfinishedPrefix));
  for (const name of unfinished) {
    const path = join(cache, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  return found !== undefined;
}

function renderFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  const text = stderr === "" ? error.message : stderr;
  return text.split("\n").slice(-errorTailLines).join(" | ");
}

// Debian's package tool: downloads packages, installs them. Fetches the package lists where a machine has none yet, as
// fresh ones do, and again where an installation fails, since old lists name packages that are gone. Asks nobody, waits
// for whoever else installs, and starts no service.
import { existsSync, rmSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "./run-command.ts";

const installTimeoutMs = 1_200_000;
const timeoutMs = 300_000;
const askTimeoutMs = 10_000;
const lockTimeoutS = 300;
const maxAttempts = 4;

export interface AptPlaces {
  readonly listsDir: string;
  /** The program that Debian's packages ask whether they may start their service. */
  readonly policyPath: string;
  readonly retryMs: number;
}

const debian: AptPlaces = { listsDir: "/var/lib/apt/lists", policyPath: "/usr/sbin/policy-rc.d", retryMs: 5_000 };

const isRoot = (): boolean => process.getuid?.() === 0;

export async function canInstall(): Promise<boolean> {
  if (!isRoot()) return false;
  return runCommand("apt-get", ["--version"], { timeoutMs: askTimeoutMs }).then(
    () => true,
    () => false,
  );
}

/** The .deb files go into `folder`. Needs no rights where there are lists. */
export async function downloadPackages(names: readonly string[], folder: string): Promise<void> {
  try {
    if (isRoot()) await fetchLists(debian.listsDir);
    // As root apt wants to become another user, who may not write here.
    await apt(["-o", "APT::Sandbox::User=root", "download", ...names], { cwd: folder, timeoutMs });
  } catch (error) {
    const cure = "run `apt-get update` on Debian, or pass --base REFERENCE";
    throw new Error(`expected apt-get to download ${names.join(", ")} for a local base, found it failing: ${cure}`, {
      cause: error,
    });
  }
}

/** Tries a few times, since mirrors and locks have their moments; needs `canInstall`. */
export async function installPackages(
  names: readonly string[],
  say: (line: string) => void,
  { listsDir, policyPath, retryMs }: AptPlaces = debian,
): Promise<void> {
  using _ = await forbidServices(policyPath);
  const install = ["install", "-y", "--no-install-recommends", ...names];
  for (let attempt = 1; ; attempt += 1) {
    // A mirror of something else may be away: what is wanted here can be had all the same.
    await fetchLists(attempt === 1 ? listsDir : undefined).catch((error: unknown) => say(String(error)));
    try {
      await apt(install, { timeoutMs: installTimeoutMs });
      return;
    } catch (error) {
      const what = `expected apt-get to install ${names.join(", ")}, found it failing`;
      if (attempt === maxAttempts) {
        throw new Error(`${what} ${attempt} times; see the cause, and install them by hand`, { cause: error });
      }
      say(`${what}; trying again with new package lists`);
      await delay(retryMs);
    }
  }
}

/** @param listsDir only where there are none in it */
async function fetchLists(listsDir?: string): Promise<void> {
  const lists = listsDir === undefined ? [] : await readdir(listsDir);
  if (!lists.some((name) => /_Packages(?:\.\w+)?$/.test(name))) await apt(["update"], { timeoutMs });
}

/** Until it is disposed of, and however this process ends. Where there is a policy already that stays. */
async function forbidServices(policyPath: string): Promise<Disposable> {
  if (existsSync(policyPath)) return { [Symbol.dispose]: () => undefined };
  const remove = (): void => rmSync(policyPath, { force: true });
  const end = (): void => process.exit(130);
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  await writeFile(policyPath, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  return {
    [Symbol.dispose]() {
      remove();
      process.off("exit", remove);
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
    },
  };
}

async function apt(args: readonly string[], options: { timeoutMs: number; cwd?: string }): Promise<void> {
  const patience = ["-o", `DPkg::Lock::Timeout=${lockTimeoutS}`, "-o", "Acquire::Retries=3"];
  await runCommand("apt-get", ["--quiet", ...patience, ...args], {
    cwd: "/",
    env: { DEBIAN_FRONTEND: "noninteractive" },
    ...options,
  });
}

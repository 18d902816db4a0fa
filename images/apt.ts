/**
 * Debian's package tool: downloads packages, installs one. Fetches the package lists first where a machine has none yet,
 * as fresh ones do; renews no list.
 */
import { readdir } from "node:fs/promises";
import { runCommand } from "./run-command.ts";

const timeoutMs = 300_000;

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The .deb files go into `folder`. Needs no rights where there are lists. */
export async function downloadPackages(names: readonly string[], folder: string): Promise<void> {
  try {
    await fetchMissingLists();
    // As root apt wants to become another user, who may not write here.
    await apt(["-o", "APT::Sandbox::User=root", "download", ...names], folder);
  } catch (error) {
    const cure = "run `apt-get update` on Debian, or pass --base REFERENCE";
    throw new Error(`expected apt-get to download ${names.join(", ")} for a local base, found it failing: ${cure}`, {
      cause: error,
    });
  }
}

export async function installPackage(name: string): Promise<void> {
  await fetchMissingLists();
  await apt(["install", "-y", "--no-install-recommends", name]);
}

async function fetchMissingLists(): Promise<void> {
  const lists = await readdir("/var/lib/apt/lists");
  if (isRoot() && !lists.some((name) => /_Packages(?:\.\w+)?$/.test(name))) await apt(["update"]);
}

async function apt(args: readonly string[], cwd = "/"): Promise<void> {
  await runCommand("apt-get", ["--quiet", ...args], { cwd, timeoutMs });
}

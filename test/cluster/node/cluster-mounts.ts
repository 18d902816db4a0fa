// Finds and removes the mounts below a cluster's folder: file systems of containers, volumes, network namespaces.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const unmountTimeoutMs = 10_000;
const rounds = 3; // a mount may lie over another

/** Rejects when some remain: removing the folder would then remove what is mounted. */
export async function unmountBelow(dir: string): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const found = await findMounts(dir);
    if (found.length > 0) await unmount(found);
  }
  const left = await findMounts(dir);
  if (left.length > 0) throw new Error(`expected no mounts below ${dir}, found ${left.join(", ")}; see who uses them`);
}

/** Mount points below `dir`, the deepest first. */
export async function findMounts(dir: string): Promise<string[]> {
  return parseMountPoints(await readFile("/proc/self/mountinfo", "utf8"), dir);
}

export function parseMountPoints(mountInfo: string, dir: string): string[] {
  const points = mountInfo.split("\n").flatMap((line) => line.split(" ")[4] ?? []);
  return points
    .filter((point) => point.startsWith(`${dir}/`))
    .toSorted()
    .toReversed();
}

async function unmount(points: readonly string[]): Promise<void> {
  // Lazily, as a process that is just dying may hold one; -c: without a look at the path. What cannot go is seen by the caller.
  await run("umount", ["--lazy", "--no-canonicalize", ...points], { timeout: unmountTimeoutMs }).catch(() => undefined);
}

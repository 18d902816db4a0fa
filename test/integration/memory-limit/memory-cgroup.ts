// A memory limit of the kernel for a process, as a container has it: a control group of version 1 or 2 below our own, where
// this machine and account let us make one.
import { existsSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface MemoryCgroup {
  /** A command that runs the rest of its arguments under the limit. */
  readonly launcher: readonly string[];
  /** How often the kernel killed for want of memory. */
  countKills(): Promise<number>;
  /** The most that was used at a time, page cache included. */
  readPeakBytes(): Promise<number>;
  /** Once its processes have ended. */
  remove(): Promise<void>;
}

interface Version {
  readonly root: string;
  readonly limits: readonly string[];
  readonly kills: string;
  readonly peak: string;
}

const versions: readonly Version[] = [
  {
    root: "/sys/fs/cgroup/memory",
    limits: ["memory.limit_in_bytes"],
    kills: "memory.oom_control",
    peak: "memory.max_usage_in_bytes",
  },
  { root: "/sys/fs/cgroup", limits: ["memory.max"], kills: "memory.events", peak: "memory.peak" },
];

/** Undefined where none can be made. */
export async function createMemoryCgroup(maxBytes: number): Promise<MemoryCgroup | undefined> {
  for (const { root, limits, kills, peak } of versions) {
    const folder = join(root, `pallas-test-${process.pid}`);
    try {
      await mkdir(folder);
    } catch {
      continue; // Not mounted, read-only, or not ours to write.
    }
    const remove = () => rmdir(folder);
    // Without the controller the folder has no such file.
    if (!limits.every((file) => existsSync(join(folder, file)))) {
      await remove();
      continue;
    }
    for (const file of limits) await writeFile(join(folder, file), String(maxBytes));
    // Where there is swap, it would hide what a pod has not.
    await writeFile(join(folder, "memory.swap.max"), "0").catch(() => undefined);
    return {
      launcher: ["sh", "-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs")],
      async countKills() {
        return Number(/^oom_kill (\d+)$/m.exec(await readFile(join(folder, kills), "utf8"))?.[1] ?? 0);
      },
      readPeakBytes: async () => Number(await readFile(join(folder, peak), "utf8")),
      remove,
    };
  }
  return undefined;
}

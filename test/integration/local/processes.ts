// What runs on this machine, as /proc tells: who started whom, and with which environment.
import { readdir, readFile } from "node:fs/promises";

export interface FoundProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Empty where it may not be read. */
  readonly environment: string;
}

export async function listProcesses(): Promise<FoundProcess[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  return Promise.all(
    names.map(async (pid): Promise<FoundProcess> => {
      const stat = await read(pid, "stat");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
      const command = (await read(pid, "cmdline")).replaceAll("\0", " ").trim();
      return { pid: Number(pid), parent, command, environment: await read(pid, "environ") };
    }),
  );
}

/** Those that a process started, directly or through others. */
export function descendantsOf(root: number, all: readonly FoundProcess[]): FoundProcess[] {
  const found = new Set([root]);
  for (const pid of found) for (const each of all) if (each.parent === pid) found.add(each.pid);
  return all.filter(({ pid }) => pid !== root && found.has(pid));
}

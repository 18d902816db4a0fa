// What the kernel says a process has used, from /proc: Linux only, like the test API server's own users of it.
import { readFile } from "node:fs/promises";

export const mebibyte = 1024 ** 2;

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  /** The most it ever had. */
  readonly peakRssBytes: number;
}

/** Linux gives times to programs in hundredths of a second, whatever the kernel counts in. */
const ticksPerSecond = 100;

/** From the texts of `stat` and `status`. Throws when a figure is not there, as for a process that has ended. */
export function parseUsage(stat: string, status: string): ProcessUsage {
  // The second field is the program's name in brackets and may hold spaces; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
  const usage = {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    rssBytes: kibibytes("VmRSS") * 1024,
    peakRssBytes: kibibytes("VmHWM") * 1024,
  };
  for (const [name, value] of Object.entries(usage)) {
    if (Number.isNaN(value)) throw new Error(`expected ${name} of a running process in /proc, found none`);
  }
  return usage;
}

/** Throws when the process has ended, and on systems without /proc. */
export async function readUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
  ]);
  return parseUsage(stat, status);
}

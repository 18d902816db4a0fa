// What the kernel says a process has used, from /proc: Linux only, like the test API server's own users of it.
import { readFile } from "node:fs/promises";

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  /** The most it ever had. */
  readonly peakRssBytes: number;
}

/** Linux gives times to programs in hundredths of a second, whatever the kernel counts in. */
const ticksPerSecond = 100;

/** Throws when the process has ended, and on systems without /proc. */
export async function readUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
  ]);
  // The second field is the program's name in brackets and may hold spaces; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    rssBytes: kibibytes("VmRSS") * 1024,
    peakRssBytes: kibibytes("VmHWM") * 1024,
  };
}

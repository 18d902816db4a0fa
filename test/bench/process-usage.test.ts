import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { needsPlatform } from "../tools/needs.ts";
import { mebibyte, parseUsage, readUsage } from "./process-usage.ts";

const fields = (utime: number, stime: number) =>
  `S 1 2 2 0 -1 4194304 100 200 0 0 ${utime} ${stime} 7 8 20 0 11 0 12345 1000000 5000 18446744073709551615`;
const status = "Name:\tnode\nVmPeak:\t 9999999 kB\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n";

it("adds the time in the program and in the kernel, whatever the program is called", () => {
  const expected = { cpuSeconds: 1.75, rssBytes: 100 * mebibyte, peakRssBytes: 200 * mebibyte };
  expect(parseUsage(`77 (node) ${fields(150, 25)}`, status)).toEqual(expected);
  expect(parseUsage(`77 (a b) S 1) c) ${fields(150, 25)}`, status)).toEqual(expected);
});

it("throws where a process that has ended has no memory left", () => {
  expect(() => parseUsage(`77 (node) ${fields(150, 25)}`, "Name:\tnode\n")).toThrow("rssBytes of a running process");
});

const needed = needsPlatform(existsSync("/proc/self/stat") ? undefined : "there is no /proc here");
it("says the same of this process as Node does", needed, async () => {
  const before = process.cpuUsage();
  const { cpuSeconds, rssBytes, peakRssBytes } = await readUsage(process.pid);
  const after = process.cpuUsage();
  const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
  // The kernel's ticks are a hundredth of a second, and user and system time are cut apart.
  expect(cpuSeconds).toBeGreaterThanOrEqual(seconds(before) - 0.05);
  expect(cpuSeconds).toBeLessThanOrEqual(seconds(after) + 0.05);
  expect(rssBytes / process.memoryUsage.rss()).toBeGreaterThan(0.5);
  expect(rssBytes / process.memoryUsage.rss()).toBeLessThan(2);
  expect(peakRssBytes).toBeGreaterThanOrEqual(rssBytes);
});

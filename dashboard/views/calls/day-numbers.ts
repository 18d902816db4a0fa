// The numbers that stand in large above the charts of a day: sums, the share that failed, and the last median there is. Pure.
import type { CallMetrics } from "../../data/calls.ts";

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export interface DayNumbers {
  readonly calls: number;
  readonly failed: number;
  /** In percent, with a digit behind the point below ten. */
  readonly failedShare: string;
  readonly waiting: number;
  /** Of the last hour in which a tool was called. */
  readonly median: { readonly ms: number; readonly hour: string } | undefined;
}

export function sumUpDay({ hours, calls, errors, waiting, median_ms: medians }: CallMetrics): DayNumbers {
  const [all, failed] = [sum(calls), sum(errors)];
  const at = medians.findLastIndex((ms) => ms !== null);
  const [ms, hour] = [medians[at], hours[at]];
  return {
    ...{ calls: all, failed, failedShare: tellShare(failed, all), waiting: sum(waiting) },
    median: typeof ms === "number" && hour !== undefined ? { ms, hour } : undefined,
  };
}

/** Never "0 %" of something, and never "100 %" of less than all. */
export function tellShare(part: number, all: number): string {
  if (part === 0 || all === 0) return "0 %";
  const percent = (part / all) * 100;
  if (percent < 0.1) return "< 0.1 %";
  if (percent < 10) return `${percent.toFixed(1)} %`;
  return `${part === all ? 100 : Math.min(99, Math.round(percent))} %`;
}

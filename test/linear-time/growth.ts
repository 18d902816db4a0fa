// Whether time grows in proportion to a text's length: measured at a length and at eight times of it. Ratios only, and
// of each the best of several runs, so that a busy machine fails nobody.
import { systemClock } from "../../lib/process/clock.ts";

/** Twice the length takes twice the time, four times if every character is held against every other. */
export const growthLimit = 3;

const firstLength = 4_000;
/** Whoever reads a text of this length in less than `measurableMs` does no more than a few steps for a character. */
const longestLength = 64_000;
const measurableMs = 0.5;
const attempts = 25;
/** Between the two lengths that are compared: over some of them what the memory and other processes add is little. */
const doublings = 3;

export interface Shape {
  /** The text, made of `length` characters of a run with what stands before and after it. */
  (length: number): string;
}

/** How many times as long twice the length takes; 0 where no length takes a time that can be measured. */
export async function observeGrowth(read: (text: string) => unknown, shape: Shape): Promise<number> {
  let length = firstLength;
  while ((await measure(read, shape(length))) < measurableMs) {
    if (length >= longestLength) return 0;
    length *= 4;
  }
  const [short, long] = [shape(length), shape(length * 2 ** doublings)];
  let [shortMs, longMs] = [Infinity, Infinity];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    shortMs = Math.min(shortMs, await measure(read, short));
    longMs = Math.min(longMs, await measure(read, long));
    // The first run of anything takes longer than the next.
    if (attempt > 0 && longMs < growthLimit ** doublings * shortMs) break;
  }
  return (longMs / shortMs) ** (1 / doublings);
}

async function measure(read: (text: string) => unknown, text: string): Promise<number> {
  const startedMs = systemClock.now();
  try {
    await read(text);
  } catch {
    // A refusal takes its time too.
  }
  return systemClock.now() - startedMs;
}

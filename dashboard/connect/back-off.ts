// When something that failed is tried again: after 1, 2, 4 … 30 s, each up to a quarter sooner, so that a thousand pages do not come
// back at once.
const firstWaitMs = 1_000;
const maxWaitMs = 30_000;

/**
 * How long to wait before the next try.
 * @param failures how many tries failed in a row, from 1
 * @param random 0 to 1
 */
export function waitAfter(failures: number, random: number = Math.random()): number {
  const wholeMs = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(wholeMs * (1 - random / 4));
}

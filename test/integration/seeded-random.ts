// Chance that a test can have again: the same seed, the same numbers.

/** A number in [0, 1), like Math.random (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random: Random, limit: number) => Math.floor(random() * limit);
export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[below(random, from.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

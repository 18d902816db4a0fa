// Weighted chance that a test can have again.
import { createRandom } from "../seeded-random.ts";

export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** One key, as often as its weight says. */
  pick<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** The same seed, the same numbers. */
export function createChance(seed: number): Chance {
  const next = createRandom(seed);
  return {
    next,
    pick<Key extends string>(weights: Readonly<Record<Key, number>>) {
      let sum = 0;
      for (const key in weights) sum += weights[key];
      let rest = next() * sum;
      for (const key in weights) if ((rest -= weights[key]) < 0) return key;
      throw new Error("expected weights that add up to more than nothing, found none");
    },
  };
}

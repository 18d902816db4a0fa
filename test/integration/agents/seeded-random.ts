/** Chance that a test can have again: the same seed, the same numbers. */

export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** One key, as often as its weight says. */
  pick<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** Marsaglia's 32-bit xorshift. */
export function createChance(seed: number): Chance {
  let state = seed | 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
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

// Arithmetic that gives the same bits on every machine: additions, multiplications, divisions and square roots in a fixed
// order, since those are exact by IEEE 754, and nothing of Math whose last digit an engine may choose.

/** Numbers from 0 to below 1, always the same ones for a seed: "mulberry32". */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Fisher–Yates, in place. */
export function shuffle(items: unknown[], random: () => number): void {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const moved = items[at];
    items[at] = items[other];
    items[other] = moved;
  }
}

const largestExponent = 60;
const halvings = 10;
/** 1/n! */
const taylor = [1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040];

/** e to the power of x, within 1 in 10⁹; x is taken as at least −60 and at most 60. */
export function exponential(x: number): number {
  const small = Math.max(-largestExponent, Math.min(largestExponent, x)) / 2 ** halvings;
  let result = 0;
  for (let at = taylor.length - 1; at >= 0; at -= 1) result = result * small + (taylor[at] ?? 0);
  for (let at = 0; at < halvings; at += 1) result *= result;
  return result;
}

/** The product of `width` numbers of each, from `leftAt` and `rightAt` on. */
export function dot(left: Float32Array, leftAt: number, right: Float32Array, rightAt: number, width: number): number {
  let sum = 0;
  for (let at = 0; at < width; at += 1) sum += (left[leftAt + at] ?? 0) * (right[rightAt + at] ?? 0);
  return sum;
}

/** Adds `factor` times `width` numbers of `from` to those of `to`. */
export function addScaled(
  to: Float32Array,
  toAt: number,
  factor: number,
  from: Float32Array,
  fromAt: number,
  width: number,
): void {
  for (let at = 0; at < width; at += 1) to[toAt + at] = (to[toAt + at] ?? 0) + factor * (from[fromAt + at] ?? 0);
}

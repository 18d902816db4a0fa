// Vectors of texts, a byte a number: a tenth of a degree is lost by that, and three quarters of the memory are saved. What tools of now
// have is kept until they are gone, and after that for as long as there is room, so that a tool that comes back, or a server that
// changes one of its tools, costs no request. Bounded by whoever keeps no more texts than fit.

interface Entry {
  readonly numbers: Int8Array;
  /** Of one step. */
  readonly scale: number;
}

export interface CacheLimits {
  maxVectors: number;
  maxBytes: number;
}

const steps = 127;

export class VectorCache {
  readonly #limits: CacheLimits;
  /** By text's hash, with how many have it. */
  readonly #kept = new Map<string, { entry: Entry; holders: number }>();
  /** Of nobody now, the longest unused first. */
  readonly #idle = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#kept.size + this.#idle.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Texts whose vectors somebody keeps. */
  get keptCount(): number {
    return this.#kept.size;
  }

  isKept(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Keeps the vector of `key` until it is let go as often. False where there is none. */
  keep(key: string): boolean {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      kept.holders += 1;
      return true;
    }
    const entry = this.#idle.get(key);
    if (entry === undefined) return false;
    this.#idle.delete(key);
    this.#kept.set(key, { entry, holders: 1 });
    return true;
  }

  letGo(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    kept.holders -= 1;
    if (kept.holders > 0) return;
    this.#kept.delete(key);
    this.#idle.set(key, kept.entry);
  }

  /** Adds a vector that nobody keeps yet. Those of nobody make room; false where there is none. */
  add(key: string, vector: Float32Array): boolean {
    if (this.#kept.has(key) || this.#idle.has(key)) return true;
    this.#idle.set(key, pack(vector));
    this.#bytes += vector.length;
    for (const [oldest, { numbers }] of this.#idle) {
      if (this.size <= this.#limits.maxVectors && this.#bytes <= this.#limits.maxBytes) break;
      this.#idle.delete(oldest);
      this.#bytes -= numbers.length;
    }
    return this.#idle.has(key);
  }

  get(key: string): Float32Array | undefined {
    const entry = this.#kept.get(key)?.entry ?? this.#idle.get(key);
    return entry && unpack(entry);
  }

  clear(): void {
    this.#kept.clear();
    this.#idle.clear();
    this.#bytes = 0;
  }
}

function pack(vector: Float32Array): Entry {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest / steps || 1;
  const numbers = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at += 1) numbers[at] = Math.round((vector[at] ?? 0) / scale);
  return { numbers, scale };
}

function unpack({ numbers, scale }: Entry): Float32Array {
  const vector = new Float32Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) vector[at] = (numbers[at] ?? 0) * scale;
  return vector;
}

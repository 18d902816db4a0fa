// Which texts the tools of each server have, and which of them have no vector yet. It knows texts by their hashes, and asks the server's
// list for the text itself when one is to be sent: what has its vector is not held twice. Keeps in the cache what tools of now have.
import type { VectorCache } from "./vector-cache.ts";

/** A list that makes its items as they are asked for. */
export interface Texts {
  readonly length: number;
  at(index: number): string;
}

interface ServerTexts {
  readonly texts: Texts;
  readonly keys: readonly string[];
  /** Without a vector. */
  readonly missing: Set<string>;
}

export class WantedTexts {
  readonly #cache: VectorCache;
  readonly #servers = new Map<string, ServerTexts>();
  /** Of each text without a vector: where it stands, by server. */
  readonly #missing = new Map<string, Map<string, number>>();

  constructor(cache: VectorCache) {
    this.#cache = cache;
  }

  /** Different texts without a vector. */
  get missingCount(): number {
    return this.#missing.size;
  }

  /** Their keys, the first wanted first. */
  missingKeys(): Iterable<string> {
    return this.#missing.keys();
  }

  isMissing(key: string): boolean {
    return this.#missing.has(key);
  }

  /** Undefined where nobody wants it any more. */
  textOf(key: string): string | undefined {
    for (const [server, at] of this.#missing.get(key) ?? []) return this.#servers.get(server)?.texts.at(at);
    return undefined;
  }

  /** The keys of a server's texts, in their order; undefined while one has no vector. */
  completeKeys(server: string): readonly string[] | undefined {
    const known = this.#servers.get(server);
    return known === undefined || known.missing.size > 0 ? undefined : known.keys;
  }

  /** Replaces the texts of a server; `keys` are theirs, in their order. */
  put(server: string, texts: Texts, keys: readonly string[]): void {
    const before = this.#servers.get(server);
    const missing = new Set<string>();
    this.#servers.set(server, { texts, keys, missing });
    const places = new Map(keys.map((key, at) => [key, at]));
    for (const [key, at] of places) {
      if (this.#cache.keep(key)) continue;
      missing.add(key);
      this.#wait(key, server, at);
    }
    // Only now: what both have is never nobody's.
    if (before !== undefined) this.#release(server, before, missing);
  }

  remove(server: string): void {
    const before = this.#servers.get(server);
    this.#servers.delete(server);
    if (before !== undefined) this.#release(server, before, new Set());
  }

  /** The cache has a vector of `key` now. Returns the servers that have all of theirs by that. */
  found(key: string): string[] {
    const places = this.#missing.get(key) ?? new Map<string, number>();
    this.#missing.delete(key);
    return [...places.keys()].filter((server) => {
      const { missing } = this.#servers.get(server) ?? {};
      this.#cache.keep(key);
      missing?.delete(key);
      return missing?.size === 0;
    });
  }

  /** The cache was cleared: all texts have no vector. */
  lostAll(): void {
    this.#missing.clear();
    for (const [server, { keys, missing }] of this.#servers) {
      for (const [at, key] of keys.entries()) {
        missing.add(key);
        this.#wait(key, server, at);
      }
    }
  }

  #wait(key: string, server: string, at: number): void {
    const places = this.#missing.get(key);
    if (places === undefined) this.#missing.set(key, new Map([[server, at]]));
    else places.set(server, at);
  }

  #release(server: string, before: ServerTexts, stillMissing: ReadonlySet<string>): void {
    for (const key of new Set(before.keys)) {
      if (!before.missing.has(key)) {
        this.#cache.letGo(key);
        continue;
      }
      if (stillMissing.has(key)) continue;
      const places = this.#missing.get(key);
      places?.delete(server);
      if (places?.size === 0) this.#missing.delete(key);
    }
  }
}

// What the cache keeps, what it drops first, and how near a vector comes back.
import { expect, test } from "vitest";
import { VectorCache } from "./vector-cache.ts";

const vector = (...numbers: number[]) => Float32Array.from(numbers);
const open = (limits = {}) => new VectorCache({ maxVectors: 3, maxBytes: 1_000, ...limits });

test("a vector comes back with a cosine of nearly 1", () => {
  const cache = open({ maxBytes: 10_000 });
  const numbers = Array.from({ length: 1_536 }, (_, at) => Math.sin(at * at));
  const norm = Math.hypot(...numbers);
  const unit = vector(...numbers.map((value) => value / norm));
  cache.add("a", unit);
  const found = cache.get("a") ?? vector();
  const dot = found.reduce((sum, value, at) => sum + value * (unit[at] ?? 0), 0);
  expect(dot / Math.hypot(...found)).toBeGreaterThan(0.9999);
  expect(Math.hypot(...found)).toBeCloseTo(1, 3);
});

test("of those that nobody keeps the longest unused go first, beyond the limit of vectors or bytes", () => {
  for (const limits of [{ maxVectors: 3 }, { maxVectors: 100, maxBytes: 6 }]) {
    const cache = open(limits);
    for (const key of ["a", "b", "c"]) expect(cache.add(key, vector(1, 0))).toBe(true);
    expect([cache.size, cache.bytes]).toEqual([3, 6]);
    cache.keep("a");
    cache.letGo("a");
    cache.add("d", vector(1, 0));
    expect(["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined)).toEqual(["a", "c", "d"]);
    expect([cache.size, cache.bytes]).toEqual([3, 6]);
  }
});

test("those that somebody keeps stay, until they are let go as often as they were kept", () => {
  const cache = open();
  for (const key of ["a", "b", "c"]) {
    cache.add(key, vector(1));
    expect([cache.keep(key), cache.keep(key)]).toEqual([true, true]);
  }
  expect(cache.add("d", vector(1))).toBe(false);
  expect([cache.size, cache.keptCount, cache.get("d")]).toEqual([3, 3, undefined]);
  cache.letGo("b");
  expect([cache.isKept("b"), cache.add("d", vector(1))]).toEqual([true, false]);
  cache.letGo("b");
  expect([cache.isKept("b"), cache.add("d", vector(1)), cache.get("b")]).toEqual([false, true, undefined]);
  expect(cache.keep("unknown")).toBe(false);
  cache.clear();
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

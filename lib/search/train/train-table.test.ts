import { describe, expect, it } from "vitest";
import { loadWordTable } from "../word-table.ts";
import { createRandom, exponential } from "./arithmetic.ts";
import { type Pair, readPairs } from "./pairs.ts";
import { trainingSettings } from "./settings.ts";
import { sourceWidth, type SourceVectors } from "./source-vectors.ts";
import { trainTable } from "./train-table.ts";

const requests = ["sunny", "rainy", "windy", "cloudy"].map((word) => ({ query: word, tool: "forecast" }));
const others = ["invoice", "payment", "salary", "refund"].map((word) => ({ query: word, tool: "accounting" }));
const pairs: Pair[] = Array.from({ length: 40 }, () => [...requests, ...others])
  .flat()
  .map((pair) => ({ ...pair, source: "made up" }));

/** Vectors that say nothing: drawn at random, always the same ones. */
const random = createRandom(7);
const vectors = new Map(
  [...new Set(pairs.flatMap(({ query, tool }) => [query, tool])), "unseen", "the", "??"].map((word) => [
    word,
    Array.from({ length: sourceWidth }, () => random() - 0.5),
  ]),
);
const source: SourceVectors = { words: [...vectors.keys()], find: (word) => vectors.get(word) };
const settings = { ...trainingSettings, batch: 16, words: 12 };
const inputsDigest = "0".repeat(64);
const make = (more: Partial<typeof settings> = {}): Buffer =>
  trainTable({ pairs, source, settings: { ...settings, ...more }, inputsDigest });

function likeness(file: Buffer, left: string, right: string): number {
  const table = loadWordTable(file);
  const [a, b] = [left, right].map((word) => table.embed([word]));
  return a?.reduce((sum, number, at) => sum + number * (b?.[at] ?? 0), 0) ?? 0;
}

describe("training", () => {
  it("makes the same bytes of the same input", () => {
    expect(make().equals(make())).toBe(true);
    expect(make().equals(make({ seed: 2 }))).toBe(false);
  });

  it("draws a request to its tool and away from others", () => {
    const [untrained, trained] = [make({ epochs: 0 }), make({ epochs: 3 })];
    for (const word of ["sunny", "windy"]) {
      const gained = likeness(trained, word, "forecast") - likeness(untrained, word, "forecast");
      expect(gained).toBeGreaterThan(0.3);
      expect(likeness(trained, word, "accounting")).toBeLessThan(0);
    }
  });

  it("keeps words of plain letters and digits that no pair has, and no stop words", () => {
    const table = loadWordTable(make());
    expect(table.size).toBe(11);
    expect(table.embed(["unseen"])).toBeDefined();
    expect([table.embed(["the"]), table.embed(["??"])]).toEqual([undefined, undefined]);
  });

  it("takes e to a power as Math does, to nine digits", () => {
    for (const x of [-60, -31.7, -1, -1e-9, 0, 0.5, 1, 10, 60]) {
      expect(exponential(x) / Math.exp(x)).toBeCloseTo(1, 9);
    }
    expect([exponential(-1000), exponential(1000)]).toEqual([exponential(-60), exponential(60)]);
  });

  it("has the pairs that README.md lists", async () => {
    const counts = new Map<string, number>();
    for (const { source: name } of await readPairs()) counts.set(name, (counts.get(name) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({
      aws: 29_157,
      apizoo: 4_157,
      apibench: 1_599,
      metatool: 18_604,
      seal: 1_692,
      bfcl: 1_246,
    });
  });
});

import { describe, expect, it } from "vitest";
import { buildSegment } from "./build.ts";
import { Catalogue } from "./catalogue.ts";
import { readQuery } from "./query.ts";
import { rank } from "./rank.ts";
import type { Accept, WordTable } from "./searchable.ts";

/** A plane: each known word is a direction in it, in degrees. */
const degrees = new Map([
  ["rain", 0],
  ["weather", 10],
  ["snow", 30],
  ["invoice", 90],
]);
const plane: WordTable = {
  width: 2,
  embed(words) {
    const angles = words.flatMap((word) => degrees.get(word) ?? []).map((angle) => (angle * Math.PI) / 180);
    const [x, y] = [Math.cos, Math.sin].map((of) => angles.reduce((sum, angle) => sum + of(angle), 0));
    const length = Math.hypot(x ?? 0, y ?? 0);
    return length === 0 ? undefined : Float32Array.of((x ?? 0) / length, (y ?? 0) / length);
  },
};
const cosineOf = (angle: number): number => Math.cos((angle * Math.PI) / 180);

function build(tools: Record<string, readonly string[]>, words: WordTable | undefined): Catalogue {
  const catalogue = new Catalogue(words?.width);
  for (const [name, names] of Object.entries(tools)) {
    const plan = { server: { name }, tools: names.map((tool) => ({ name: tool, parameters: [] })), vectors: undefined };
    const steps = buildSegment(catalogue, plan, { words, isCancelled: () => false });
    while (steps.next().done !== true);
  }
  return catalogue;
}

function evidenceOf(catalogue: Catalogue, text: string, limit = 1, accept?: Accept) {
  const { words, terms } = readQuery(text);
  const vector = plane.embed(words);
  const { meanings } = catalogue;
  const meaning = vector === undefined || meanings === undefined ? undefined : { query: vector, vectors: meanings };
  const ranked = rank(catalogue, { terms, meaning, semanticWeight: 0.3, limit, accept });
  return ranked.map(({ tool, evidence }) => ({ tool, ...evidence }));
}

describe("what speaks for a match", () => {
  it("is how far its meaning is from the request's, compared with the best other's, and how alike the two are", () => {
    const catalogue = build({ a: ["weather", "snow", "invoice"] }, plane);
    const [first, second] = evidenceOf(catalogue, "rain", 2);
    expect([first?.tool, second?.tool]).toEqual(["weather", "snow"]);
    expect(first?.meaning?.lead).toBeCloseTo(cosineOf(10) - cosineOf(30), 2);
    expect(first?.meaning?.likeness).toBeCloseTo(cosineOf(20), 2);
    expect(second?.meaning?.lead).toBeCloseTo(cosineOf(30) - cosineOf(10), 2);
    expect(second?.meaning?.likeness).toBeCloseTo(cosineOf(20), 2);
  });

  it("is nothing of meaning where there is no table, or no known word", () => {
    expect(evidenceOf(build({ a: ["weather"] }, undefined), "weather")[0]?.meaning).toBeUndefined();
    expect(evidenceOf(build({ a: ["foo"] }, plane), "foo")[0]?.meaning).toBeUndefined();
  });

  it("is what its words weigh, and how much more than the best other's", () => {
    const catalogue = build({ a: ["foo_bar", "foo_other", "third"] }, undefined);
    const [first, second] = evidenceOf(catalogue, "foo bar", 2);
    expect([first?.tool, first?.nameShare, second?.nameShare]).toEqual(["foo_bar", 1, 0.5]);
    expect(first?.wordsLead).toBeCloseTo((first?.wordsScore ?? 0) - (second?.wordsScore ?? 0), 5);
    expect(second?.wordsLead).toBeCloseTo(-(first?.wordsLead ?? 0), 5);
    expect(first?.wordsLead).toBeGreaterThan(0.1);
  });

  it("is how many come near, up to five, of those that are accepted", () => {
    const same = (count: number): Record<string, readonly string[]> =>
      Object.fromEntries(["far", ...Array.from({ length: count }, (_, at) => `s${at}`)].map((name) => [name, ["foo"]]));
    const near = (count: number): unknown => evidenceOf(build(same(count), undefined), "foo")[0]?.rivals;
    expect([near(0), near(1), near(5), near(6)]).toEqual([0, 1, 5, 5]);
    // The same however many matches are wanted.
    expect(evidenceOf(build(same(9), undefined), "foo", 10)[0]?.rivals).toBe(5);
    const accept: Accept = (server) => server === "far" || server === "s1";
    expect(evidenceOf(build(same(6), undefined), "foo", 1, accept)[0]).toMatchObject({ rivals: 1, wordsLead: 0 });
    // One with half of the words does not come near.
    expect(evidenceOf(build({ a: ["foo_bar", "foo"] }, undefined), "foo bar")[0]?.rivals).toBe(0);
  });
});

describe("a meaning from outside", () => {
  const names = ["snow_one", "snow_two", "snow_three", "snow_four", "snow_five", "invoice"];
  const ranked = (isOutside: boolean, accept?: Accept) => {
    const catalogue = build({ a: names }, plane);
    const vectors = catalogue.meanings;
    const query = Float32Array.of(0, 1);
    const meaning = vectors && { query, vectors, isOutside };
    const { terms } = readQuery("snow");
    return rank(catalogue, { terms, meaning, semanticWeight: 0.3, limit: 6, accept }).map(({ tool }) => tool);
  };

  it("has its best tool among the first five, where that of the table stays behind", () => {
    expect(ranked(false).indexOf("invoice")).toBe(5);
    expect(ranked(true).indexOf("invoice")).toBe(4);
    expect(ranked(true).filter((tool) => tool !== "invoice")).toEqual(ranked(false).slice(0, 5));
    expect(ranked(true)).toHaveLength(6);
  });

  it("puts nothing there that is not accepted", () => {
    expect(ranked(true, (_server, tool) => tool !== "invoice")).not.toContain("invoice");
  });
});

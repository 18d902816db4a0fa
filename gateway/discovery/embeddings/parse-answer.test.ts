// What passes as an answer of the embeddings API, and what is refused by which words.
import { describe, expect, test } from "vitest";
import { maxWidth, parseEmbeddings } from "./parse-answer.ts";

const answer = (...vectors: unknown[]) => ({ data: vectors.map((embedding, index) => ({ index, embedding })) });
const lists = (value: unknown, count: number) => parseEmbeddings(value, count).map((vector) => [...vector]);

describe("vectors", () => {
  test("are brought to length 1 and to the order of the texts, whatever order they come in", () => {
    const data = [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [3, 4] },
    ];
    expect(lists({ data }, 2)).toEqual([
      [expect.closeTo(0.6), expect.closeTo(0.8)],
      [0, 1],
    ]);
  });

  test("without an index are in the order of the texts", () => {
    expect(lists({ data: [{ embedding: [1, 0] }, { embedding: [0, 1] }] }, 2)).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("of the largest and smallest doubles have a length too, and zeros stay zeros", () => {
    expect(lists(answer([1e308, 1e308], [1e-320, 0], [0, 0]), 3)).toEqual([
      [expect.closeTo(Math.SQRT1_2), expect.closeTo(Math.SQRT1_2)],
      [1, 0],
      [0, 0],
    ]);
  });

  test("of the greatest width pass, one number more is refused", () => {
    expect(parseEmbeddings(answer(Array.from({ length: maxWidth }, () => 1)), 1)[0]).toHaveLength(maxWidth);
    const wider = answer(Array.from({ length: maxWidth + 1 }, () => 1));
    expect(() => parseEmbeddings(wider, 1)).toThrow(`expected a list of 1 to ${maxWidth} numbers`);
  });
});

test.each<[string, unknown, string]>([
  ["no list", { object: "list" }, 'expected an object with a list "data"'],
  ["null", null, 'expected an object with a list "data"'],
  ["fewer", answer([1]), "expected 2 embeddings, found 1"],
  ["more", answer([1], [1], [1]), "expected 2 embeddings, found 3"],
  ["an item that is none", { data: [{ embedding: [1] }, 7] }, "expected an object at data[1]"],
  ["an index twice", { data: [1, 1].map((index) => ({ index, embedding: [1] })) }, "found index 1 twice"],
  [
    "an index beyond",
    { data: [0, 2].map((index) => ({ index, embedding: [1] })) },
    "expected an index below 2 at data[1]",
  ],
  [
    "a half index",
    { data: [0, 0.5].map((index) => ({ index, embedding: [1] })) },
    "expected an index below 2 at data[1]",
  ],
  [
    "a negative index",
    { data: [0, -1].map((index) => ({ index, embedding: [1] })) },
    "expected an index below 2 at data[1]",
  ],
  ["another width", answer([1, 0], [1]), "expected vectors of one width, found 2 and 1"],
  ["an empty vector", answer([1], []), "expected a list of 1 to"],
  ["a text for a vector", answer([1], "AACAPw=="), "expected a list of 1 to"],
  ["null for a number", answer([1], [null]), "expected finite numbers in data[1].embedding"],
  ["NaN", answer([1], [Number.NaN]), "expected finite numbers in data[1].embedding"],
  ["infinity", answer([1], [Number.POSITIVE_INFINITY]), "expected finite numbers in data[1].embedding"],
  ["a text for a number", answer([1], ["1"]), "expected finite numbers in data[1].embedding"],
])("%s is refused", (_what, value, message) => {
  expect(() => parseEmbeddings(value, 2)).toThrow(message);
});

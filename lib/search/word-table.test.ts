import { describe, expect, it } from "vitest";
import { packTable } from "./train/pack-table.ts";
import { loadWordTable } from "./word-table.ts";

const digest = "ab".repeat(32);
const words = ["post", "message", "天气"];
const rows = Float32Array.from([3, 0, 0, 4, 0, 0.5]);
const file = packTable(words, rows, 2, digest);

const changed = (at: number, ...bytes: number[]): Buffer => {
  const copy = Buffer.from(file);
  copy.set(bytes, at);
  return copy;
};

describe("a word table", () => {
  it("adds up the vectors of words to one of length 1", () => {
    const table = loadWordTable(file);
    expect([table.width, table.size, table.inputsDigest]).toEqual([2, 3, digest]);
    const vector = table.embed(["post", "message"]);
    expect(vector?.[0]).toBeCloseTo(0.6, 2);
    expect(vector?.[1]).toBeCloseTo(0.8, 2);
    expect(table.embed(["天气"])).toEqual(Float32Array.of(0, 1));
  });

  it("knows a word as often as it comes, and leaves out unknown ones", () => {
    const table = loadWordTable(file);
    const twice = table.embed(["post", "post", "message", "constructor", "__proto__", ""]);
    expect(twice?.[0]).toBeCloseTo(6 / Math.hypot(6, 4), 2);
  });

  it("has no vector for no known word", () => {
    const table = loadWordTable(file);
    expect(table.embed([])).toBeUndefined();
    expect(table.embed(["constructor", "toString"])).toBeUndefined();
  });

  it("is read from anywhere within a buffer", () => {
    const larger = Buffer.concat([Buffer.from("x"), file]);
    expect(loadWordTable(larger.subarray(1)).embed(["message"])).toEqual(Float32Array.of(0, 1));
  });

  it("of a row of zeros has no vector", () => {
    expect(loadWordTable(packTable(["a"], new Float32Array(2), 2, digest)).embed(["a"])).toBeUndefined();
  });

  const vocabularyAt = 48 + 3 * 4 + 3 * 2;
  it.each([
    ["nothing", Buffer.alloc(0), "expected it to begin with SWT1"],
    ["other files", Buffer.from("\x7fELF and more"), "expected it to begin with SWT1"],
    ["a header that ends too soon", file.subarray(0, 47), "expected a header of 48 bytes, found 47"],
    ["no words", changed(4, 0), "expected 1 to 1000000 words, found 0"],
    ["too many words", changed(4, 0x41, 0x42, 0x0f), "expected 1 to 1000000 words, found 1000001"],
    ["no width", changed(8, 0), "expected vectors of 1 to 4096 numbers, found 0"],
    ["too great a width", changed(8, 1, 0x10), "expected vectors of 1 to 4096 numbers, found 4097"],
    ["a byte too few", file.subarray(0, -1), `expected ${file.length} bytes, found ${file.length - 1}`],
    [
      "a byte too many",
      Buffer.concat([file, Buffer.of(10)]),
      `expected ${file.length} bytes, found ${file.length + 1}`,
    ],
    ["a scale below 0", changed(51, 0xbf), "expected scales of 0 or more, found -"],
    ["a scale that is no number", changed(48, 0, 0, 0xc0, 0x7f), "found NaN for word 1"],
    ["a word without its end", changed(file.length - 1, 97), "to end with a line feed"],
    ["a word twice", packTable(["a", "a"], new Float32Array(2), 1, digest), "found 1 in 2 lines"],
    ["an empty word", packTable(["", "a"], new Float32Array(2), 1, digest), "expected 2 different words"],
    ["fewer lines than words", changed(vocabularyAt + 4, 97), "found 2 in 2 lines"],
    ["a vocabulary that is no UTF-8", changed(vocabularyAt, 0xff), "not valid"],
  ])("refuses %s", (_title, bytes, message) => {
    expect(() => loadWordTable(bytes)).toThrow(message);
  });
});

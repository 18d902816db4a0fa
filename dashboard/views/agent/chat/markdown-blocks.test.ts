import { lexer, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { noBlocks, readBlocks } from "./markdown-blocks.ts";

const text = [
  "# Head",
  "One *line*\nand another",
  "- a\n\n- b\n\n  of b\n- c",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
  "> quoted\n\nThe end",
].join("\n\n");

const shapes = (tokens: readonly Token[]) => tokens.map(({ type, raw }) => [type, raw.trimEnd()]);

describe("UI-1 markdown of a text that grows", () => {
  test.each([1, 7, 50])("is at its end what the whole text is, read in pieces of %d characters", (size) => {
    let read = noBlocks;
    for (let end = size; end < text.length + size; end += size) read = readBlocks(read, text.slice(0, end));
    expect(shapes([...read.done, ...read.open])).toEqual(shapes(lexer(text)));
  });

  test("keeps the blocks that are done as they are, and reads the last one again", () => {
    const first = readBlocks(noBlocks, "One\n\nTwo");
    const second = readBlocks(first, "One\n\nTwo goes on");
    expect(second.done[0]).toBe(first.done[0]);
    expect(second.doneChars).toBe("One\n\n".length);
    expect(shapes(second.open)).toEqual([["paragraph", "Two goes on"]]);
  });

  test("begins anew with a text that is no continuation", () => {
    const read = readBlocks(readBlocks(noBlocks, "One\n\nTwo"), "Other");
    expect(shapes([...read.done, ...read.open])).toEqual([["paragraph", "Other"]]);
  });

  test("has line breaks of every kind", () => {
    const read = readBlocks(readBlocks(noBlocks, "One\r\n\r\nTwo\r\n\r"), "One\r\n\r\nTwo\r\n\r\nThree");
    expect(shapes([...read.done, ...read.open]).filter(([type]) => type !== "space")).toEqual([
      ["paragraph", "One"],
      ["paragraph", "Two"],
      ["paragraph", "Three"],
    ]);
  });
});

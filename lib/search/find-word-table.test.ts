import { stat } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { readWordTable, wordTableFile } from "./find-word-table.ts";
import { toContentWords } from "./tokens.ts";
import { digestInputs } from "./train/inputs-digest.ts";
import type { LoadedWordTable } from "./word-table.ts";

const maxBytes = 5_000_000;

let table: LoadedWordTable;
beforeAll(async () => {
  table = await readWordTable();
});

function likeness(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => table.embed(toContentWords(text)));
  return a?.reduce((sum, number, at) => sum + number * (b?.[at] ?? 0), 0) ?? 0;
}

describe("DSC-3 the shipped word table", () => {
  it("is at most 5 MB", async () => {
    expect((await stat(wordTableFile)).size).toBeLessThanOrEqual(maxBytes);
    expect([table.width, table.size]).toEqual([100, 40_000]);
  });

  it("is made from the present data, code and settings: if not, run `make words`", async () => {
    expect(table.inputsDigest).toBe(await digestInputs());
  });

  // No word in common.
  it.each([
    ["how hot will it get tomorrow", "weather forecast", "create calendar event"],
    ["send mail to my boss", "compose email message", "list database tables"],
    ["delete a folder", "remove directory", "send message"],
    ["buy shares of a company", "trade stocks", "translate text"],
  ])("takes %j for closer to %j than to %j", (query, near, far) => {
    expect(likeness(query, near)).toBeGreaterThan(likeness(query, far) + 0.1);
  });
});

import { describe, expect, test } from "vitest";
import { cutPage, maxPageEntries } from "./list-pages.ts";

const names = (count: number) => Array.from({ length: count }, (_, at) => `name-${at}-é`);
const keyOf = (name: string) => name;

describe("AGT-6 a long list comes in pages", () => {
  test("as many entries as a page holds come in one, and one more makes a second", () => {
    expect(cutPage(names(maxPageEntries), keyOf, undefined)).toEqual({ entries: names(maxPageEntries) });
    const all = names(maxPageEntries + 1);
    const first = cutPage(all, keyOf, undefined);
    expect(first.entries).toEqual(all.slice(0, maxPageEntries));
    expect(cutPage(all, keyOf, first.nextCursor)).toEqual({ entries: all.slice(maxPageEntries) });
  });

  test("none is listed twice or left out when entries come and go between two pages", () => {
    const all = names(3 * maxPageEntries);
    const { nextCursor } = cutPage(all, keyOf, undefined);
    const changed = ["new", ...all.slice(5)];
    expect(cutPage(changed, keyOf, nextCursor).entries[0]).toBe(all[maxPageEntries]);
  });

  test("a cursor at the very end gives an empty last page", () => {
    const all = names(maxPageEntries + 1);
    const { nextCursor } = cutPage(all, keyOf, undefined);
    expect(cutPage(all.slice(0, maxPageEntries), keyOf, nextCursor)).toEqual({ entries: [] });
  });

  test.each(["", "%%%", "bm9uZQ", "x".repeat(100_000)])("a cursor that names nothing is refused: %.20s", (cursor) => {
    expect(() => cutPage(names(3), keyOf, cursor)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining("Invalid cursor") }),
    );
  });
});

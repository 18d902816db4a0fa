import { describe, expect, it } from "vitest";
import { matchesEtag } from "./entity-tag.ts";

describe("CAT-8 If-None-Match", () => {
  it.each([
    [undefined, false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ["*", true],
    ['"abcd"', false],
    ["abc", false],
  ])("%s matches: %s", (header, matches) => {
    expect(matchesEtag(header, '"abc"')).toBe(matches);
  });
});

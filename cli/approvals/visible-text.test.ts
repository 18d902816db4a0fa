import { describe, expect, test } from "vitest";
import { visibleJson, visibleLine } from "./visible-text.ts";

describe("CLI-5 what is shown of a call", () => {
  test.each([
    ["a terminal's sequence", "\u001b[2J", "\\u001b[2J"],
    ["another direction", "pay \u202e001", "pay \\u202e001"],
    ["what takes no room", "a\u200bb\u00adc\u{e0041}", "a\\u200bb\\u00adc\\udb40\\udc41"],
    ["spaces that look like one", "a\u00a0b\u3164", "a\\u00a0b\\u3164"],
    ["half a character", "\ud800", "\\ud800"],
    ["line breaks", "a\nb\u2028", "a\\u000ab\\u2028"],
    ["an escape that somebody wrote", "\\u202e", "\\\\u202e"],
    ["words of any language", "Grüße, 東京", "Grüße, 東京"],
  ])("makes %s visible", (_, text, shown) => expect(visibleLine(text)).toBe(shown));

  test("JSON keeps its tokens, over lines", () => {
    const json = '{"b":1.0,"a":[1e400,{}],"b":"x\\n{,\\"","__proto__":[],"n":12345678901234567890}';
    expect(visibleJson(json)).toBe(
      '{\n  "b": 1.0,\n  "a": [\n    1e400,\n    {}\n  ],\n  "b": "x\\n{,\\"",\n  "__proto__": [],\n  "n": 12345678901234567890\n}',
    );
    expect(visibleJson('{"a":"\u202e","\u200b":"\\u202e"}')).toBe('{\n  "a": "\\u202e",\n  "\\u200b": "\\u202e"\n}');
  });

  test("what was valid JSON stays the same JSON", () => {
    const values = [{ "a\u202e": "\u0085\u{e0001}", b: [[], {}, null, true, -1.5e-7] }, "", {}, [[[1]]], "\\"];
    for (const value of values) expect(JSON.parse(visibleJson(JSON.stringify(value)))).toEqual(value);
  });

  test("ten thousand levels and a megabyte take room and time in proportion", () => {
    const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    expect(visibleJson(deep).length).toBeLessThan(2_000_000);
    const long = JSON.stringify({ a: '\\"'.repeat(500_000), b: "[".repeat(100_000) });
    const begin = performance.now();
    expect(JSON.parse(visibleJson(long))).toEqual(JSON.parse(long));
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  test.each(['{"a":', '"never ends', "}}}", "{]", "", "nonsense", '{"a"\n:1}'])(
    "shows what is no JSON, too: %j",
    (text) => {
      expect(visibleJson(text).replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    },
  );
});

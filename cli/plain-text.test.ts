import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonLine, plainLine, plainText } from "./plain-text.ts";

describe("CLI-4 text of others commands no terminal", () => {
  test.each([
    ["a title", "a\u001b]0;owned\u0007b", "ab"],
    ["a title, ended as some do", "a\u001b]0;owned\u001b\\b", "ab"],
    ["a title in C1", "a\u009d0;owned\u009cb", "a0;ownedb"],
    ["the clipboard", "a\u001b]52;c;cm0gLXJmIH4=\u0007b", "ab"],
    ["a link that hides where it leads", "\u001b]8;;http://evil\u0007ok\u001b]8;;\u0007", "ok"],
    ["an answer asked of the terminal", "a\u001bP$q\u001b\\b", "ab"],
    ["cursor and erasing", "a\u001b[2J\u001b[1;1H\u001b[31mb\u001b[0m", "ab"],
    ["C1 cursor", "a\u009b2Jb", "ab"],
    ["a line written over", "safe\rrm -rf", "saferm -rf"],
    ["backspaces and a bell", "a\b\b\u0007b", "ab"],
    ["writing turned round", "a\u202eb\u2066c", "abc"],
    ["a string that never ends", "a\u001b]x;b", "a]x;b"],
    ["a string that another cuts off", "a\u001b]8;;x\u001b]0;y\u0007b", "a]8;;xb"],
    ["a reset and a character set", "a\u001bcb\u001b(Bc", "abc"],
    ["a sequence that never ends", "a\u001b[1;2", "a[1;2"],
  ])("%s", (_what, text, left) => expect(plainText(text)).toBe(left));

  test("line breaks, tabs, accents and emoji stay", () => {
    const text = "a\n\tb é 日本 👩‍👩‍👧 c";
    expect(plainText(`${text}\r\n`)).toBe(`${text}\n`);
    expect(plainLine(" a\n b\t c ")).toBe("a b c");
  });

  test("whatever comes, nothing that a terminal acts upon is left, in JSON neither", () => {
    const part = fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "P",
      "0;",
      "\u0007",
      "\\",
      "\u009b",
      "\u009d",
      "\r",
      "x",
      "\u202e",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const acting = /(?![\n\t])[\p{Cc}\u202e]/u;
        expect(plainText(text)).not.toMatch(acting);
        expect(jsonLine({ text })).not.toMatch(acting);
        expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
      }),
      { numRuns: 2_000 },
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "./markdown.ts";

const plain = (text: string, columns = 80): string => renderMarkdown(text, { columns, hasColour: false });

describe("CLI-4 Markdown in a terminal", () => {
  test.each([
    ["a heading", "# One\n\n### Two", "One\n\nTwo"],
    ["emphasis", "**a** _b_ ~~c~~ `d`", "a b c `d`"],
    ["a list in a list", "- a\n  - b\n- c", "• a\n  • b\n• c"],
    ["numbers that get longer", "9. a\n10. b", "9.  a\n10. b"],
    ["tasks", "- [x] a\n- [ ] b", "• ☑ a\n• ☐ b"],
    ["code as it stands", "```js\nif (a)\n  b();\n```", "    if (a)\n      b();"],
    ["a quotation", "> a\n> b", "│ a\n│ b"],
    ["a link, with where it leads", "[bank](https://evil.example)", "bank (https://evil.example)"],
    ["a link that is its own text", "<https://a.example>", "https://a.example"],
    ["an image", "![cat](https://a.example/c.png)", "[cat](https://a.example/c.png)"],
    ["a table", "| a | bb |\n|---|----|\n| 1 | 日本 |", "a  bb\n─  ────\n1  日本"],
    ["a rule", "a\n\n---\n\nb", `a\n\n${"─".repeat(40)}\n\nb`],
    ["line breaks of models", "a\nb", "a\nb"],
    ["HTML as text", "a <b>c</b> &lt;d&gt;", "a <b>c</b> <d>"],
    ["escaped signs", String.raw`\*a\*`, "*a*"],
  ])("%s", (_what, text, shown) => expect(plain(text)).toBe(shown));

  test("lines are broken at words, and a table that is too wide becomes lines", () => {
    expect(plain("one two three four five six", 20)).toBe("one two three four\nfive six");
    expect(plain("- one two three four five", 20)).toBe("• one two three four\n  five");
    expect(plain("| name | what it can do |\n|-|-|\n| clerk | counts |", 20)).toBe(
      "name: clerk\nwhat it can do:\ncounts",
    );
    expect(plain("https://a.example/a/very/long/path", 20)).toBe("https://a.example/a/very/long/path");
  });

  test("styles are there only with colours", () => {
    const styled = renderMarkdown("# T\n**b** `c`", { columns: 80, hasColour: true });
    expect(styled).toBe("\u001b[1m\u001b[4mT\u001b[24m\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m");
  });

  test("what cannot be parsed is shown as it stands", () => {
    const deep = `${">".repeat(20_000)} x`;
    expect(plain(deep)).toBe(deep);
    const long = "*a* ".repeat(300_000).trim();
    expect(plain(long)).toBe(long);
  });

  test("whatever a model writes, it commands no terminal", () => {
    const part = fc.constantFrom(
      "# ",
      "- ",
      "1. ",
      "> ",
      "`",
      "**",
      "|",
      "\n",
      "\u001b]0;",
      "\u0007",
      "\u001b[2J",
      "word ",
      "<b>",
      "```",
      "[",
      "](x)",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 15 }), fc.integer({ min: 20, max: 60 }), (parts, columns) => {
        const shown = renderMarkdown(parts.join(""), { columns, hasColour: true });
        // What is left are styles of our own.
        const styles = shown.split("\u001b[").map((part, index) => (index === 0 ? part : part.replace(/^\d+m/, "")));
        expect(styles.join("")).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
      { numRuns: 1_000 },
    );
  });
});

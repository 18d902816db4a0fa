import { describe, expect, test } from "vitest";
import { maxTitleChars } from "../../crds/conversations.ts";
import { renderTitle } from "./conversation-title.ts";
import { lineHeadBytes } from "./history-summary.ts";
import { renderLine } from "./history-text.ts";

const titleOf = (text: string) => renderTitle(renderLine({ role: "user", content: [{ type: "text", text }] }));

describe("MGM-2 the title of a conversation", () => {
  test.each([
    ["is its first message", "Shorten this", "Shorten this"],
    ["is one line", "  Shorten\r\n\n\tthis\u2028now ", "Shorten this now"],
    ["has no control characters", "a\u0000b\u001b[31mc\u007f", "a b [31mc"],
    ["turns no text around", "pay \u202egnp.exe\u2066x\u200f", "pay gnp.exex"],
    ["keeps quotes, backslashes and what is not Latin", 'say "a\\b" ü 漢 👩‍💻', 'say "a\\b" ü 漢 👩‍💻'],
    ["is what was said, whatever that looks like", '"type":"text","text":"x', '"type":"text","text":"x'],
    ["is empty where nothing was said", "", ""],
    ["as long as may be is whole", "x".repeat(maxTitleChars), "x".repeat(maxTitleChars)],
    ["one longer is cut", "x".repeat(maxTitleChars + 1), `${"x".repeat(maxTitleChars - 1)}…`],
    ["is cut between words", "word ".repeat(20), `${"word ".repeat(15).trim()}…`],
    ["is not cut within a character", `${"x".repeat(maxTitleChars - 2)}👩xx`, `${"x".repeat(maxTitleChars - 2)}…`],
  ])("%s", (_what, text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  test("is that of the first text among pictures, and none where there are only those", () => {
    const image = { type: "image" as const, sha256: "a".repeat(64), bytes: 1, mimeType: "image/png" };
    const lineOf = (...content: object[]) => JSON.stringify({ role: "user", content });
    expect(renderTitle(lineOf(image, { type: "text", text: "look" }))).toBe("look");
    expect(renderTitle(lineOf(image))).toBe("");
  });

  test("needs the beginning of a line only, wherever that is cut off", () => {
    const line = renderLine(userLine('é"\\\n👩 '.repeat(3)));
    for (let end = 0; end <= line.length; end += 1) expect(() => renderTitle(line.slice(0, end))).not.toThrow();
    const long = Buffer.from(renderLine(userLine("é".repeat(lineHeadBytes)))).subarray(0, lineHeadBytes);
    expect(renderTitle(long.toString("utf8"))).toBe(`${"é".repeat(maxTitleChars - 1)}…`);
  });
});

const userLine = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });

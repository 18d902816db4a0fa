// Which part of a text is thinking that a server left there.
import { expect, test } from "vitest";
import { createThinkingFilter, withoutThinking } from "./thinking-text.ts";

test.each([
  ["<think>\nhm\n</think>\n\nSunny.", "Sunny."],
  ["\n<think></think>Sunny.", "Sunny."],
  ["<think>a</think> <think>b</think>Sunny.", "Sunny."],
  ["<think>never ended", ""],
  ["I look.\nIt rains.\n</think>\n\nSunny.", "Sunny."],
  ["I look.\n</think>", ""],
  ["Sunny.", "Sunny."],
  ["Write <think>x</think> around it.", "Write <think>x</think> around it."],
  ["Tags:\n<think>\n</think>\nend", "Tags:\n<think>\n</think>\nend"],
  ["The tag </think> ends it.", "The tag </think> ends it."],
  ["A line\n</think> in prose", "A line\n</think> in prose"],
  ["", ""],
])("AGT-1 %j is answered as %j", (text, expected) => {
  expect(withoutThinking(text)).toBe(expected);
});

test("AGT-1 however many blocks there are, none is answered", () => {
  expect(withoutThinking(`${"<think></think>\n".repeat(100_000)}Sunny.`)).toBe("Sunny.");
});

test("AGT-1 text that comes in pieces shows none of it, wherever it is cut, and all else at once", () => {
  for (const text of [
    "<think>a</think>\n<think></think> Sunny <think>.",
    " Sunny.",
    "<th",
    "<think>a",
    "<thin air",
    "</think>",
  ]) {
    const expected = text === "<th" ? text : withoutThinking(text).trimStart();
    for (let size = 1; size <= text.length; size += 1) {
      const filter = createThinkingFilter();
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(pieces.map((piece) => filter.push(piece)).join("") + filter.end()).toBe(expected);
    }
  }
  const filter = createThinkingFilter();
  expect([filter.push("S"), filter.push("<think>")]).toEqual(["S", "<think>"]);
});

// Which part of a text is thinking that a server left there.
import { expect, test } from "vitest";
import { withoutThinking } from "./thinking-text.ts";

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

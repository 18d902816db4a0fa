// What a person sees of an answer while it is written, on a terminal that keeps every line.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTerminal } from "../terminal.ts";
import { startLiveAnswer } from "./live-answer.ts";
import { readBlocks } from "./markdown-blocks.ts";

interface Delta {
  step: number;
  text: string;
  start?: boolean;
  gap?: boolean;
}

/** `stderr` is no terminal, so that nothing is ever taken back. */
function watch() {
  let shown = "";
  const noted: string[] = [];
  const stdout = { isTTY: true, columns: 80, write: (text: string) => (shown += text) };
  const stderr = { isTTY: false, columns: 80, write: (text: string) => (shown += text) };
  const terminal = createTerminal({ stdout, stderr }, "/", { NO_COLOR: "1" });
  const line = { note: (message: string | undefined) => void (message && noted.push(message)), end: () => undefined };
  const live = startLiveAnswer("clerk", terminal, line);
  let progress = 0;
  return {
    noted,
    write: (delta: Delta) => live.note({ progress: (progress += 1), meta: { "ca.helu.pallas/text_delta": delta } }),
    note: live.note,
    end: (text: string, isError = false) => live.end({ text, isError }),
    shown: () => shown,
  };
}

describe("CLI-4 an answer as it is written", () => {
  test("is shown block by block, and once", () => {
    const { write, end, shown, noted } = watch();
    write({ step: 1, text: "# Hel", start: true });
    expect([shown(), noted]).toEqual(["", ["# Hel"]]);
    write({ step: 1, text: "lo\n\nSome **text**\non two lines\n\nand mo" });
    expect(shown()).toBe("Hello\n\nSome text\non two lines\n");
    expect(noted.at(-1)).toBe("and mo");
    end("# Hello\n\nSome **text**\non two lines\n\nand more.");
    expect(shown()).toBe("Hello\n\nSome text\non two lines\n\nand more.\n");
  });

  test("goes on over steps, and ends with what the agent adds to it", () => {
    const { write, end, shown } = watch();
    write({ step: 1, text: "Looking.", start: true });
    write({ step: 3, text: "Done.", start: true });
    end("Looking.\n\nDone.\n\n[The answer is cut: the model reached its limit.]");
    expect(shown()).toBe("Looking.\n\nDone.\n\n[The answer is cut: the model reached its limit.]\n");
  });

  test("is shown once where an agent sends nothing of it", () => {
    const { note, end, shown, noted } = watch();
    note({ progress: 1, message: "clerk step 1 (llm)" });
    note({ progress: 2, meta: { "ca.helu.pallas/text_delta": "nonsense" } });
    end("**Done.**");
    expect([shown(), noted]).toEqual(["Done.\n", ["clerk step 1 (llm)"]]);
  });

  test.each<[string, Delta]>([
    ["a gap in it", { step: 1, text: "three", gap: true }],
    ["a step that was begun anew", { step: 1, text: "Other", start: true }],
    ["a step whose beginning is missing", { step: 3, text: "more" }],
    ["other words in the end", { step: 1, text: "three" }],
  ])("with %s is shown whole again when it is there", (_what, delta) => {
    const { write, end, shown } = watch();
    write({ step: 1, text: "One\n\ntwo ", start: true });
    write(delta);
    end("The whole answer.");
    expect(shown()).toBe("One\n\nThe whole answer.\n");
  });

  test("is shown no further once it has a gap", () => {
    const { write, shown } = watch();
    write({ step: 1, text: "One\n\n", start: true });
    write({ step: 1, text: "two\n\n", gap: true });
    write({ step: 1, text: "three\n\nfour" });
    expect(shown()).toBe("");
  });

  test("that ends in an error shows the error", () => {
    const { write, end, shown } = watch();
    write({ step: 1, text: "One", start: true });
    end("openai is overloaded", true);
    expect(shown()).toBe("clerk: openai is overloaded\n");
  });
});

describe("CLI-4 the blocks of a text", () => {
  const blocksOf = (pieces: readonly string[]) => {
    const blocks = readBlocks();
    return [...pieces.flatMap((piece) => blocks.push(piece)), ...blocks.end()];
  };

  test.each([
    ["code with blank lines", "a\n\n```\none\n\ntwo\n```\n\nb", ["a", "```\none\n\ntwo\n```", "b"]],
    ["what is indented below a list", "- a\n\n  more of a\n\nb", ["- a\n\n  more of a", "b"]],
    ["an indented fence", "a\n\n  ```\nb\nc\n  ```\n\nd", ["a\n\n  ```\nb\nc\n  ```", "d"]],
    ["several blank lines", "\n\na\n\n\n\nb\n\n", ["a", "b"]],
    ["code that never ends", "~~~\na\n\nb", ["~~~\na\n\nb"]],
  ])("keeps %s together", (_what, text, blocks) => {
    expect(blocksOf([text])).toEqual(blocks);
  });

  test("are the same in whatever pieces it comes, and nothing of it is lost", () => {
    const part = fc.constantFrom("a", "word ", "\n", "\n\n", "```", "```\n", "  ", "- ", "~~~\n", "😀");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const blocks = blocksOf([text]);
        expect(blocksOf(pieces)).toEqual(blocks);
        expect(blocksOf([...text])).toEqual(blocks);
        expect(blocks.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      }),
    );
  });
});

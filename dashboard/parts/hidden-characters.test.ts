import { describe, expect, it } from "vitest";
import { findHidden, hasHidden } from "./hidden-characters.ts";

describe("characters that hide", () => {
  it("are found and named, and what is around them stays", () => {
    expect(findHidden("Invoice 2291 \u202eCC")).toEqual([
      { kind: "text", text: "Invoice 2291 " },
      { kind: "hidden", code: "U+202E", name: "reverses the reading direction" },
      { kind: "text", text: "CC" },
    ]);
  });

  it("are all control, format, direction and zero-width characters but line break and tab", () => {
    for (const character of [
      "\0",
      "\u001b",
      "\r",
      "\u007f",
      "\u0085",
      "\u200b",
      "\u200d",
      "\u2066",
      "\ufeff",
      "\u{e0001}",
      "\u3164",
      "\ue000",
      "\ud800",
      "\ufe0f",
    ]) {
      expect(hasHidden(`a${character}b`), JSON.stringify(character)).toBe(true);
    }
    expect(hasHidden("a\tb\nc äöü 漢字 🙂 ‘’")).toBe(false);
  });

  it("leave an empty text one piece", () => {
    expect(findHidden("")).toEqual([{ kind: "text", text: "" }]);
  });
});

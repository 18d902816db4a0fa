import { describe, expect, test } from "vitest";
import { hasHidden } from "../../../parts/hidden-characters.ts";
import { splitHarmless } from "./prose-text.tsx";

/** What is named to the reader. */
const named = (text: string): readonly string[] =>
  splitHarmless(text).filter((piece, index) => index % 2 === 0 && hasHidden(piece));

describe("UI-1 a text of a conversation", () => {
  test.each(["❤️ fine", "👩‍💻", "👍🏽 ok", "1️⃣", "🇨🇦", "12\u202f000\u00a0€", "日本\u3000語"])(
    "shows emoji and the spaces of typesetting as they are: %s",
    (text) => expect(named(text)).toEqual([]),
  );

  test.each(["a\u202eb", "a\u200db", "a\ufe0fb", "\u001b[2J", "❤️\u202e", "a\u200bb", "❤\u200d\u202e"])(
    "names what hides or turns text around: %j",
    (text) => expect(named(text)).toHaveLength(1),
  );

  test("is whole in its pieces", () => {
    const text = "a ❤️ b\u202e 👩‍💻\u00a0c";
    expect(splitHarmless(text).join("")).toBe(text);
  });
});

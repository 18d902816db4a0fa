import { describe, expect, it } from "vitest";
import { maxTextLength, maxWordLength, toContentWords, toTerm, toWords } from "./tokens.ts";

describe("words", () => {
  it.each([
    ["getUserByID", "get user by id"],
    ["XMLParser", "xml parser"],
    ["list_pull-requests", "list pull requests"],
    ["v2/word2vec", "v 2 word 2 vec"],
    ["ABCmouse", "ab cmouse"],
    ["Café, naïve Öl", "cafe naive ol"],
    ["ｆｕｌｌ　ｗｉｄｔｈ", "full width"],
    ["ТестОдин", "тест один"],
    ["使用必应搜索", "使用 用必 必应 应搜 搜索"],
    ["查 weather 天气", "查 weather 天气"],
    ["한국어 검색", "한국 국어 검색"],
    ["हिन्दी में", "हिन्दी में"],
    ["🎉", ""],
    ["a\ud800b", "a b"],
    ["", ""],
    ["constructor __proto__", "constructor proto"],
  ])("%j", (text, words) => {
    expect(toWords(text).join(" ")).toBe(words);
  });

  it("are read from the first characters only", () => {
    const filler = " ".repeat(maxTextLength - 1);
    expect(toWords(`${filler}x`)).toEqual(["x"]);
    expect(toWords(`${filler} x`)).toEqual([]);
    expect(toWords(`${filler.replaceAll(" ", "天")}x`)).not.toHaveLength(0);
  });

  it("are cut at a length", () => {
    const longest = "a".repeat(maxWordLength);
    expect(toWords(longest)).toEqual([longest]);
    expect(toWords(`${longest}b`)).toEqual([longest]);
    expect(toWords(`é${longest}`)).toEqual([`e${longest}`.slice(0, maxWordLength)]);
  });

  it("of a request are those that say what is meant", () => {
    expect(toContentWords("Could you please help me to list the open issues?")).toEqual(["list", "open", "issues"]);
  });
});

describe("terms", () => {
  // Porter's own examples, a few of each of his steps.
  it.each([
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["agreed", "agre"],
    ["feed", "feed"],
    ["plastered", "plaster"],
    ["motoring", "motor"],
    ["sing", "sing"],
    ["conflated", "conflat"],
    ["hopping", "hop"],
    ["falling", "fall"],
    ["filing", "file"],
    ["happy", "happi"],
    ["sky", "sky"],
    ["relational", "relat"],
    ["digitizer", "digit"],
    ["vietnamization", "vietnam"],
    ["sensibiliti", "sensibl"],
    ["triplicate", "triplic"],
    ["hopeful", "hope"],
    ["adoption", "adopt"],
    ["replacement", "replac"],
    ["probate", "probat"],
    ["cease", "ceas"],
    ["controll", "control"],
    ["roll", "roll"],
    ["syzygy", "syzygi"],
    ["is", "is"],
    ["тесты", "тесты"],
    ["2024", "2024"],
  ])("of %s is %s", (word, term) => {
    expect(toTerm(word)).toBe(term);
  });

  it("are the same for the forms of a word", () => {
    expect(new Set(["connect", "connects", "connected", "connecting", "connection"].map(toTerm))).toEqual(
      new Set(["connect"]),
    );
  });
});

// Words of a description that are words of the question, and a text that stays as it is.
import { describe, expect, it } from "vitest";
import { markWords, matchedWords, stemOf, stemsOf } from "./matched-words.ts";

const marked = (text: string, question: string) =>
  markWords(text, stemsOf(question)).flatMap((piece) => (piece.isMatch ? [piece.text] : []));

describe("words that are marked", () => {
  it("are those of the question in whatever form", () => {
    expect(marked("List transfers of an account; transferring is another tool.", "transfer account")).toEqual([
      "transfers",
      "account",
      "transferring",
    ]);
    expect(marked("Queries of a Summary", "query summaries")).toEqual(["Queries", "Summary"]);
    expect(marked("Rolls dice.", "roll DICE")).toEqual(["Rolls", "dice"]);
    expect(marked("Über das Konto", "uber konto")).toEqual(["Über", "Konto"]);
  });

  it("are no parts of words, no short ones, and none that every text has", () => {
    expect(marked("payload and bank of a bankrupt", "pay a bank and of")).toEqual(["bank"]);
    expect(marked("the tool for you", "the tool for you")).toEqual(["tool"]);
  });

  it("are none where nothing is asked", () => {
    expect(markWords("Create it.", stemsOf(""))).toEqual([{ text: "Create it.", isMatch: false }]);
    expect(markWords("", stemsOf("x"))).toEqual([]);
  });
});

it("leaves a text as it is, character for character", () => {
  for (const text of ["a\u202Ebank bank-transfer\n\u0000 done", "😀 bank😀bank", "  bank", "bank bank"]) {
    expect(
      markWords(text, stemsOf("bank transfer"))
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
  }
});

it("tells each matched word once", () => {
  const stems = stemsOf("pay invoices by transfer");
  expect(matchedWords(["Transfers a transfer", "INVOICE"], stems)).toEqual(["transfer", "invoice"]);
});

it("never takes a word to less than three letters", () => {
  expect([stemOf("sing"), stemOf("ring"), stemOf("bees")]).toEqual(["sing", "ring", "bee"]);
});

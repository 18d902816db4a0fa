import { describe, expect, it } from "vitest";
import {
  addProgress,
  addText,
  beginAnswer,
  endAnswer,
  readHistoryPage,
  turnsOfHistory,
  type AgentTurn,
} from "./turns.ts";

const begin = beginAnswer(0, 0);
const kinds = (turn: AgentTurn) =>
  turn.blocks.map((block) => (block.kind === "text" ? block.text : block.steps.list.map(({ tool }) => tool)));
const line = (turn: AgentTurn, message: string) => addProgress(turn, message, "clerk", 10);

describe("an answer as it comes", () => {
  it("has steps and texts in the order in which they came", () => {
    let turn = line(begin, "clerk step 1 (llm)");
    turn = addText(turn, { step: 1, text: "I look ", start: true });
    turn = addText(turn, { step: 1, text: "it up." });
    turn = line(turn, "toolbox/now: started");
    turn = line(turn, "toolbox/now: completed");
    turn = addText(turn, { step: 2, text: "It is noon.", start: true });
    expect(kinds(turn)).toEqual([[], "I look it up.", ["now"], "It is noon."]);
  });

  it("takes back what was shown of a step that begins anew", () => {
    let turn = addText(begin, { step: 1, text: "wrong", start: true });
    turn = addText(turn, { step: 1, text: "right", start: true });
    expect(kinds(turn)).toEqual(["right"]);
  });

  it("ends a step that began before a text in its own block", () => {
    let turn = line(begin, "a/b: started");
    turn = addText(turn, { step: 1, text: "meanwhile", start: true });
    turn = line(turn, "a/b: completed");
    const [first] = turn.blocks;
    expect(turn.blocks).toHaveLength(2);
    expect(first?.kind === "steps" && first.steps.list[0]?.outcome).toBe("done");
  });

  it("says that a call waits where it stands, also once text came after it", () => {
    let turn = line(begin, "a/b: started");
    turn = addText(turn, { step: 1, text: "I pay it.", start: true });
    turn = line(turn, "a/b: waits for approval pay-1");
    const [first] = turn.blocks;
    expect(turn.blocks).toHaveLength(2);
    expect(first?.kind === "steps" && first.steps.list[0]?.outcome).toBe("waits");
  });
});

describe("an answer that is over", () => {
  it("stays as it was shown where that is all of it", () => {
    const shown = addText(addText(begin, { step: 1, text: "a", start: true }), { step: 2, text: "b", start: true });
    const { blocks, state } = endAnswer(shown, { state: "done", text: "a\n\nb" }, 5);
    expect([state, blocks.length]).toEqual(["done", 2]);
  });

  it("is shown whole behind the steps where something was left out", () => {
    const shown = addText(line(begin, "a/b: started"), { step: 1, text: "a", start: true, gap: true });
    expect(kinds(endAnswer(shown, { state: "done", text: "a whole answer" }, 5))).toEqual([["b"], "a whole answer"]);
  });

  it("keeps what came when it was stopped", () => {
    const shown = addText(begin, { step: 1, text: "half", start: true });
    expect(kinds(endAnswer(shown, { state: "stopped", text: undefined, note: "Stopped" }, 5))).toEqual(["half"]);
  });
});

describe("what was said before", () => {
  it("joins the parts of one turn, and shows pictures of known types alone", () => {
    const turns = turnsOfHistory([
      { role: "user", content: { type: "text", text: "look" } },
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/svg+xml" } },
      { role: "assistant", content: { type: "text", text: "one" } },
      { role: "assistant", content: { type: "text", text: "two" } },
      { role: "user", content: { type: "text", text: "thanks" } },
    ]);
    expect(turns.map((turn) => (turn.who === "me" ? turn.images.map(({ url }) => url) : kinds(turn)))).toEqual([
      ["data:image/png;base64,AAAA", "data:,"],
      ["one", "two"],
      [],
    ]);
  });
});

describe("a page of the history", () => {
  const text = (said: string) => ({ role: "user" as const, content: { type: "text", text: said } });
  const mark = '[The conversation began earlier: ask for this prompt with before: "12" to read what came before.]';

  it("says in its first message where the one before it ends, which is no message of the person", () => {
    expect(readHistoryPage([text(mark), text("a")])).toEqual({ messages: [text("a")], earlier: 12 });
  });

  it("is the first one where nothing says so", () => {
    expect(readHistoryPage([text("a"), text(mark)])).toEqual({ messages: [text("a"), text(mark)], earlier: undefined });
    expect(readHistoryPage([])).toEqual({ messages: [], earlier: undefined });
  });
});

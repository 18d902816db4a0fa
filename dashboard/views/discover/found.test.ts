// What the gateway finds, as the page takes it: best, others, nothing; and the questions that a field holds.
import { describe, expect, it } from "vitest";
import { maxQuestions, parseFound, questionsOf, serverOf } from "./found.ts";

const best = {
  next_step: "invoke call_as directly",
  found: true,
  confidence: "high",
  score: 0.91,
  call_as: "mcp__payments__create_transfer",
  server: "payments",
  tool: "create_transfer",
  description: "Create a transfer.",
  required_args: [{ name: "amount", type: "number", description: "" }, { name: "iban" }],
  unreachable_since: "2026-11-24T12:10:00Z",
  other_matches: [
    { call_as: "mcp__payments__list_transfers", tool: "list_transfers", description: "List.", score: 0.58 },
  ],
};

describe("an answer of find_tools", () => {
  it("is a tool with what it needs, others with a score alone, and the answer as it came", () => {
    const [intent] = parseFound({ results: [best] }, ["pay"]);
    expect(intent?.best).toMatchObject({
      server: "payments",
      confidence: "high",
      needs: ["amount", "iban"],
      unreachableSince: "2026-11-24T12:10:00Z",
    });
    expect(intent?.others).toMatchObject([{ server: "payments", confidence: "other", needs: undefined }]);
    expect(intent?.question).toBe("pay");
    // Word by word: also in its order.
    expect(JSON.stringify(intent?.raw)).toBe(JSON.stringify(best));
  });

  it("has nothing to show as found below the threshold", () => {
    const nothing = { found: false, top_score: 0.19, hint: "no tool here fits well", degraded: true };
    const [intent] = parseFound({ results: [nothing] }, ["brew coffee"]);
    expect(intent).toMatchObject({ best: undefined, others: [], topScore: 0.19, isDegraded: true });
  });

  it("leaves out others whose score would read 0.00", () => {
    const others = [0.005, 0.0049, 0].map((score) => ({ call_as: "mcp__a__b", tool: "b", description: "", score }));
    const [found, nothing] = parseFound(
      {
        results: [
          { ...best, other_matches: others },
          { found: false, top_score: 0.1, other_matches: others },
        ],
      },
      ["pay", "brew coffee"],
    );
    expect(found?.others.map(({ score }) => score)).toEqual([0.005]);
    expect(nothing?.others.map(({ score }) => score)).toEqual([0.005]);
  });

  it("keeps each answer with its question", () => {
    const intents = parseFound({ results: [best, { found: false, top_score: 0 }] }, ["one", "two"]);
    expect(intents.map(({ question, best: hit }) => [question, hit?.tool])).toEqual([
      ["one", "create_transfer"],
      ["two", undefined],
    ]);
  });

  it("is refused where it is none", () => {
    expect(() => parseFound({ results: [{ found: "maybe" }] }, ["x"])).toThrow(/found/);
    expect(() => parseFound(undefined, ["x"])).toThrow(/expected/);
  });
});

describe("the server of another match", () => {
  it("is what stands before the tool, also with underscores in either", () => {
    expect(serverOf("mcp__a__b", "b")).toBe("a");
    expect(serverOf("mcp__my_server__get__it", "get__it")).toBe("my_server");
  });

  it("is unknown where the call is another tool's", () => {
    expect(serverOf("mcp__clerk__send_message", "read_graph")).toBeUndefined();
    expect(serverOf("mcp____b", "b")).toBeUndefined();
  });
});

describe("questions", () => {
  it("are the lines that say something", () => {
    expect(questionsOf(" roll dice \n\n  \nlist files")).toEqual(["roll dice", "list files"]);
    expect(questionsOf("  \n")).toEqual([]);
  });

  it("are as many as the gateway takes", () => {
    const lines = (n: number) => Array.from({ length: n }, (_, index) => `q${index}`).join("\n");
    expect(questionsOf(lines(maxQuestions))).toHaveLength(maxQuestions);
    expect(questionsOf(lines(maxQuestions + 1))).toHaveLength(maxQuestions);
  });
});

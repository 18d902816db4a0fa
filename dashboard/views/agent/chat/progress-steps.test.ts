import { describe, expect, it } from "vitest";
import { addLine, endSteps, maxSteps, noSteps, parseLine, type Steps } from "./progress-steps.ts";

const play = (...lines: string[]): Steps =>
  lines.reduce((steps, message, index) => {
    const line = parseLine(message);
    return line === undefined ? steps : addLine(steps, line, "concierge", index * 100);
  }, noSteps);

describe("lines of progress", () => {
  it("are those that agents send, and no others", () => {
    expect(parseLine("argos/search_web: started")).toEqual({
      kind: "call",
      server: "argos",
      tool: "search_web",
      event: "started",
    });
    expect(parseLine("tech_research/tech_research__tech_research: failed")).toMatchObject({ event: "failed" });
    expect(parseLine("concierge step 12 (llm)")).toEqual({ kind: "step", agent: "concierge", turn: 12 });
    for (const other of ["", "step 1 of 3", "a/b: begun", "a b/c: started", "x step 1 (other)"]) {
      expect(parseLine(other)).toBeUndefined();
    }
  });
});

describe("steps of an answer", () => {
  it("run side by side, and each ends with its own line", () => {
    const { list, turn } = play(
      "concierge step 1 (llm)",
      "concierge step 2 (tool)",
      "bank/pay: started",
      "clerk/clerk__clerk: started",
      "clerk step 1 (llm)",
      "toolbox/now: started",
      "toolbox/now: completed",
      "bank/pay: failed",
    );
    expect(turn).toBe(2);
    expect(list.map(({ server, tool, outcome }) => [server, tool, outcome])).toEqual([
      ["bank", "pay", "failed"],
      ["clerk", "clerk__clerk", "running"],
      ["toolbox", "now", "done"],
    ]);
    expect(list[2]).toMatchObject({ startedAtMs: 500, endedAtMs: 600 });
  });

  it("of one name end in the order in which they began", () => {
    const { list } = play("a/b: started", "a/b: started", "a/b: completed");
    expect(list.map(({ outcome }) => outcome)).toEqual(["done", "running"]);
  });

  it("are over when the answer is", () => {
    expect(endSteps(play("a/b: started"), 900).list[0]).toMatchObject({ outcome: "failed", endedAtMs: 900 });
  });

  it("are kept up to their limit, those that run longest", () => {
    let steps = addLine(noSteps, { kind: "call", server: "a", tool: "first", event: "started" }, "x", 0);
    for (let count = 0; count < maxSteps - 1; count += 1) {
      steps = addLine(steps, { kind: "call", server: "a", tool: "t", event: "started" }, "x", 0);
      steps = addLine(steps, { kind: "call", server: "a", tool: "t", event: "completed" }, "x", 0);
    }
    expect([steps.list.length, steps.leftOut]).toEqual([maxSteps, 0]);
    steps = addLine(steps, { kind: "call", server: "a", tool: "last", event: "started" }, "x", 0);
    expect([steps.list.length, steps.leftOut, steps.list[0]?.tool]).toEqual([maxSteps, 1, "first"]);
  });
});

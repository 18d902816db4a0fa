import { describe, expect, test } from "vitest";
import { addLine, endSteps, latestOf, maxDepth, maxSteps, noSteps, parseLine, type Steps } from "./progress-steps.ts";

function play(lines: readonly string[], from: Steps = noSteps): Steps {
  return lines.reduce((steps, message, index) => {
    const line = parseLine(message);
    return line === undefined ? steps : addLine(steps, line, "concierge", index * 100);
  }, from);
}

const render = ({ list }: Steps): string[] =>
  list.map(({ server, tool, outcome, depth }) => `${"  ".repeat(depth)}${server}/${tool} ${outcome}`);

describe("UI-1 the calls of an answer, from its progress", () => {
  test("are those that were started, each ended by its own line, also side by side", () => {
    const steps = play([
      "concierge step 1 (llm)",
      "concierge step 2 (tool)",
      "bank/read: started",
      "bank/list: started",
      "bank/read: started",
      "bank/read: failed",
      "bank/list: completed",
    ]);
    expect(render(steps)).toEqual(["bank/read failed", "bank/list done", "bank/read running"]);
    expect(steps.list.map(({ startedAtMs, endedAtMs }) => [startedAtMs, endedAtMs])).toEqual([
      [200, 500],
      [300, 600],
      [400, undefined],
    ]);
    expect(steps).toMatchObject({ turn: 2, toolTurns: 1 });
  });

  test("of a sub-agent stand beneath it, at any depth, and those after it beside it again", () => {
    const steps = play([
      "concierge step 2 (tool)",
      "clerk/clerk__clerk: started",
      "desk/desk__desk: started",
      "clerk step 1 (llm)",
      "clerk step 2 (tool)",
      "archive/archive__archive: started",
      "archive step 2 (tool)",
      "neo4j/read: started",
      "desk step 2 (tool)",
      "lamp/on: started",
      "neo4j/read: completed",
      "archive/archive__archive: completed",
      "clerk step 4 (tool)",
      "mail/send: started",
      "clerk/clerk__clerk: completed",
      "desk/desk__desk: completed",
      "concierge step 4 (tool)",
      "bank/read: started",
    ]);
    expect(render(steps)).toEqual([
      "clerk/clerk__clerk done",
      "  archive/archive__archive done",
      "    neo4j/read done",
      "  mail/send running",
      "desk/desk__desk done",
      "  lamp/on running",
      "bank/read running",
    ]);
    expect(steps).toMatchObject({ turn: 4, toolTurns: 2 });
  });

  test("go on beneath the sub-agent that is still at its tools when another one, asked beside it, is over", () => {
    const steps = play([
      "concierge step 2 (tool)",
      "clerk/clerk__clerk: started",
      "desk/desk__desk: started",
      "clerk step 2 (tool)",
      "desk step 2 (tool)",
      "lamp/on: started",
      "lamp/on: completed",
      "desk step 3 (llm)",
      "bank/read: started",
      "desk/desk__desk: completed",
      "bank/list: started",
    ]);
    expect(render(steps)).toEqual([
      "clerk/clerk__clerk running",
      "  bank/read running",
      "  bank/list running",
      "desk/desk__desk done",
      "  lamp/on done",
    ]);
  });

  test("are not taken for another's when an agent repeats where it is as a sign of life", () => {
    const before = ["concierge step 2 (tool)", "clerk/clerk__clerk: started", "clerk step 2 (tool)"];
    const steps = play([...before, "concierge step 2 (tool)", "bank/read: started"]);
    expect(render(steps)).toEqual(["clerk/clerk__clerk running", "  bank/read running"]);
    expect(steps.toolTurns).toBe(1);
  });

  test("wait for people before they begin, by the name of the approval, told again or not", () => {
    const waits = "bank/pay: waits for approval clerk-1 until 2026-01-01T00:10:00Z";
    const waiting = play(["concierge step 2 (tool)", waits, waits]);
    expect(render(waiting)).toEqual(["bank/pay waits"]);
    expect(waiting.list[0]?.approval).toBe("clerk-1");
    expect(render(play(["bank/pay: started"], waiting))).toEqual(["bank/pay running"]);
    expect(render(play(["bank/pay: failed"], waiting))).toEqual(["bank/pay failed"]);
    expect(render(play([waits.replace("clerk-1", "clerk-2")], waiting))).toEqual(["bank/pay waits", "bank/pay waits"]);
    expect(render(play(["bank/pay: waits for an answer"]))).toEqual(["bank/pay waits"]);
  });

  test("have what their tool said last, and lines of nobody's call are left out", () => {
    const steps = play([
      "bank/pay: started",
      "bank/pay: step 1 of 3",
      "bank/pay: step 2 of 3",
      "bank/other: 1",
      "thinking",
    ]);
    expect(steps.list.map(({ note }) => note)).toEqual(["step 2 of 3"]);
  });

  test("are for a short look those that are open, and the latest that are over, in their order", () => {
    const names = (lines: readonly string[], count: number) =>
      latestOf(play(lines).list, count).map(({ server }) => server);
    const lines = ["a/t: started", "b/t: started", "c/t: started", "d/t: started", "c/t: completed", "b/t: completed"];
    expect(names(lines, 3)).toEqual(["a", "b", "d"]);
    expect(names(lines, 1)).toEqual(["a", "d"]);
    expect(names(lines, 9)).toEqual(["a", "b", "c", "d"]);
  });

  test("that still run when it ends are over", () => {
    const steps = endSteps(play(["a/b: started", "c/d: waits for an answer", "e/f: started", "e/f: completed"]), 900);
    expect(render(steps)).toEqual(["a/b failed", "c/d failed", "e/f done"]);
  });

  test(`are at most ${maxSteps}, and no deeper than ${maxDepth}`, () => {
    const calls = Array.from({ length: maxSteps }, (_, index) => [
      `a/t${index}: started`,
      `a/t${index}: completed`,
    ]).flat();
    const full = play(calls);
    expect([full.list.length, full.leftOut]).toEqual([maxSteps, 0]);
    const more = play(["a/more: started"], full);
    expect([more.list.length, more.leftOut, more.list[0]?.tool]).toEqual([maxSteps, 1, "t1"]);
    const nested = Array.from({ length: maxDepth + 2 }, (_, index) => [
      `s${index}/s${index}__s${index}: started`,
      `s${index} step 2 (tool)`,
    ]);
    expect(Math.max(...play(nested.flat()).list.map(({ depth }) => depth))).toBe(maxDepth);
  });
});

import { setImmediate as turnOfLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runSynchronously, runInTurns, type Steps } from "./steps.ts";

function* count(to: number, done: number[]): Steps<string> {
  for (let step = 1; step <= to; step += 1) {
    done.push(step);
    yield;
  }
  return "counted";
}

describe("work in steps", () => {
  it("gives its result at once", () => {
    const done: number[] = [];
    expect(runSynchronously(count(3, done))).toBe("counted");
    expect(done).toEqual([1, 2, 3]);
  });

  it("gives others their turn after each step", async () => {
    const done: number[] = [];
    const result = runInTurns(count(3, done));
    const seen = [done.length];
    for (let turn = 0; turn < 3; turn += 1) seen.push(await turnOfLoop(done.length));
    expect(seen).toEqual([1, 1, 2, 3]);
    expect(await result).toBe("counted");
  });

  it("rejects with what a step throws", async () => {
    const problem = new Error("faulty");
    // oxlint-disable-next-line require-yield -- it fails before it could
    function* fail(): Steps<string> {
      throw problem;
    }
    await expect(runInTurns(fail())).rejects.toBe(problem);
    expect(() => runSynchronously(fail())).toThrow(problem);
  });
});

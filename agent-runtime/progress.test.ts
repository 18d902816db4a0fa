import { describe, expect, test, vi } from "vitest";
import type { Progress } from "../lib/mcp/table.ts";
import { ManualClock, settle } from "../lib/process/testing/manual-clock.ts";
import { createProgress } from "./progress.ts";

const label = { server: "argos", tool: "crawl" };

function start(options: { send?: (progress: Progress) => Promise<void>; emitLoopProgress?: boolean } = {}) {
  const sent: Progress[] = [];
  const clock = new ManualClock();
  const send = options.send ?? (async (progress: Progress) => void sent.push(progress));
  const progress = createProgress({ agent: "echo", emitLoopProgress: true, clock, ...options, send });
  return { sent, clock, progress, lines: () => sent.map(({ message }) => message) };
}

const ownLine = (message: string) => ({ message, done: false, fromAgent: false });

describe("PRG-1 progress is best effort", () => {
  test("nothing is sent and no timer runs without a progress token", async () => {
    const clock = new ManualClock();
    const progress = createProgress({ agent: "echo", emitLoopProgress: true, clock });
    progress.step("llm");
    await progress.end();
    expect(clock.pending).toEqual([]);
  });

  test("a send that fails disturbs neither the run nor later lines", async () => {
    const send = vi.fn<(progress: Progress) => Promise<void>>().mockRejectedValueOnce(new Error("gone"));
    send.mockResolvedValue();
    const { progress } = start({ send });
    progress.step("llm");
    progress.step("tool");
    await progress.end();
    expect(send.mock.calls.map(([line]) => line.progress)).toEqual([1, 2]);
  });

  test("nothing follows the result, not even a heartbeat", async () => {
    const { progress, sent, clock } = start();
    progress.step("llm");
    await progress.end();
    progress.step("tool");
    progress.toolEnded(label, "completed");
    await clock.advance(60_000);
    await settle();
    expect(sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  test("a receiver that never answers holds the result up for one second at most", async () => {
    const { progress, clock } = start({ send: () => new Promise(() => {}) });
    progress.step("llm");
    let ended = false;
    const ending = progress.end().then(() => (ended = true));
    await clock.advance(999);
    await settle();
    expect(ended).toBe(false);
    await clock.advance(1);
    await ending;
  });
});

describe("PRG-5 heartbeat", () => {
  test("15 s of silence repeat the last step line without total", async () => {
    const { progress, sent, clock } = start();
    progress.step("llm");
    progress.step("tool");
    await clock.advance(14_999);
    await settle();
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    await settle();
    await clock.advance(15_000);
    await settle();
    expect(sent.slice(2)).toEqual([
      { progress: 3, message: "echo step 2 (tool)" },
      { progress: 4, message: "echo step 2 (tool)" },
    ]);
  });

  test("before any step, and with step lines off, it says step 1 (llm)", async () => {
    const { progress, clock, lines } = start({ emitLoopProgress: false });
    progress.step("llm");
    progress.step("tool");
    await clock.advance(15_000);
    await settle();
    expect(lines()).toEqual(["echo step 1 (llm)"]);
  });

  test("a line of a tool counts as a sign of life", async () => {
    const { progress, clock, sent } = start();
    await clock.advance(10_000);
    progress.toolStarted(label);
    await clock.advance(14_999);
    await settle();
    expect(sent).toHaveLength(1);
  });

  test("heartbeats do not pile up behind a slow receiver", async () => {
    const blocked = Promise.withResolvers<void>();
    const send = vi.fn<(progress: Progress) => Promise<void>>().mockReturnValue(blocked.promise);
    const { progress, clock } = start({ send });
    progress.step("llm");
    progress.step("tool");
    await clock.advance(600_000);
    blocked.resolve();
    await settle();
    expect(send).toHaveBeenCalledTimes(2);
  });
});

describe("PRG-4 the progress of an agent below", () => {
  test("passes whole, with total where a sub-task of it is done (PRG-3)", async () => {
    const { progress, sent } = start();
    for (let n = 1; n <= 200; n += 1) {
      progress.toolProgress(label, { message: `${n}`, done: n % 2 === 0, fromAgent: true });
    }
    await settle();
    expect(sent).toHaveLength(200);
    expect(sent.slice(0, 2)).toEqual([
      { progress: 1, message: "1" },
      { progress: 2, total: 2, message: "2" },
    ]);
  });

  test("waits behind a slow receiver with 2,000 lines, and is left out with one more", async () => {
    const blocked = Promise.withResolvers<void>();
    const sent: Progress[] = [];
    const send = (line: Progress) => blocked.promise.then(() => void sent.push(line));
    const { progress } = start({ send });
    progress.step("llm"); // this one is being sent, the others wait
    for (let n = 1; n <= 2_001; n += 1) progress.toolProgress(label, { message: `${n}`, done: false, fromAgent: true });
    blocked.resolve();
    await vi.waitFor(() => expect(sent).toHaveLength(2_001));
    expect(sent.at(-1)?.message).toBe("2000");
  });
});

describe("PRG-4 a tool's own progress", () => {
  test("a burst of 50 lines passes; of those past it the last one comes before the end", async () => {
    const { progress, lines } = start();
    for (let n = 1; n <= 53; n += 1) progress.toolProgress(label, ownLine(`argos/crawl: ${n}`));
    progress.toolEnded(label, "completed");
    await progress.end();
    expect(lines().slice(48)).toEqual([
      "argos/crawl: 49",
      "argos/crawl: 50",
      "argos/crawl: 53",
      "argos/crawl: completed",
    ]);
  });

  test("after the burst ten lines pass each second", async () => {
    const { progress, clock, sent } = start();
    for (let n = 1; n <= 50; n += 1) progress.toolProgress(label, ownLine("x"));
    await clock.advance(1_000);
    for (let n = 1; n <= 11; n += 1) progress.toolProgress(label, ownLine("y"));
    await settle();
    expect(sent).toHaveLength(60);
  });

  test("a wall clock that is set back changes no rate", async () => {
    const { progress, clock, sent } = start();
    for (let n = 1; n <= 50; n += 1) progress.toolProgress(label, ownLine("x"));
    clock.setWall(-3_600_000);
    progress.toolProgress(label, ownLine("held"));
    await clock.advance(1_000);
    for (let n = 1; n <= 11; n += 1) progress.toolProgress(label, ownLine("y"));
    await settle();
    expect(sent).toHaveLength(60);
  });

  test("behind a slow receiver it replaces its older line and never a line of the loop", async () => {
    const blocked = Promise.withResolvers<void>();
    const sent: Progress[] = [];
    const send = (line: Progress) => blocked.promise.then(() => void sent.push(line));
    const { progress } = start({ send });
    progress.toolProgress(label, ownLine("old"));
    progress.toolProgress(label, ownLine("waiting"));
    for (let n = 0; n < 63; n += 1) progress.step("llm");
    progress.toolProgress(label, ownLine("new"));
    blocked.resolve();
    await progress.end();
    expect(sent).toHaveLength(65);
    expect(sent[1]?.message).toBe("new");
    expect(sent.map(({ progress: number }) => number)).toEqual(Array.from({ length: 65 }, (_, index) => index + 1));
  });
});

describe("MGM-6 while people are asked", () => {
  test("what is waited for is said at once, every 10 s, and no more once it is over", async () => {
    const { progress, clock, lines, sent } = start();
    progress.step("llm");
    const end = progress.toolWaits(label, "waits for approval a-1 until 10:00");
    await clock.advance(9_999);
    expect(lines()).toEqual(["echo step 1 (llm)", "argos/crawl: waits for approval a-1 until 10:00"]);
    await clock.advance(10_001);
    expect(lines()).toHaveLength(4);
    expect(sent.slice(1).map(({ meta }) => meta)).toEqual(
      Array.from({ length: 3 }, () => ({ "ca.helu.pallas/waits": true })),
    );
    end();
    progress.toolStarted(label);
    await clock.advance(15_000);
    expect(lines().slice(4)).toEqual(["argos/crawl: started", "echo step 1 (llm)"]);
    expect(sent.slice(4).map(({ meta }) => meta)).toEqual([undefined, undefined]);
    await progress.end();
  });

  test("an agent below that waits is passed on as one that does", async () => {
    const { progress, sent } = start();
    progress.toolProgress(label, { message: "x/y: waits", done: false, fromAgent: true, waits: true });
    progress.toolProgress(label, { message: "x/y: completed", done: true, fromAgent: true, waits: false });
    await progress.end();
    expect(sent.map(({ meta }) => meta)).toEqual([{ "ca.helu.pallas/waits": true }, undefined]);
  });

  test("steps have their names without a progress token", () => {
    const progress = createProgress({ agent: "echo", emitLoopProgress: true, clock: new ManualClock() });
    progress.step("llm");
    progress.step("tool");
    expect(progress.stepName()).toBe("echo step 2 (tool)");
  });

  test("MGM-6 the calls that a run made are named, with a progress token and without one", async () => {
    const silent = createProgress({ agent: "echo", emitLoopProgress: true, clock: new ManualClock() });
    const { progress } = start();
    for (const each of [silent, progress]) {
      each.toolStarted(label);
      each.toolEnded(label, "completed");
      const stop = each.toolWaits(label, "waits");
      expect(each.steps()).toMatchObject([
        { text: "argos/crawl", outcome: "ok" },
        { text: "argos/crawl", outcome: "waiting" },
      ]);
      stop();
      expect(each.steps()).toHaveLength(1);
      await each.end();
    }
  });
});

import { describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../lib/process/testing/manual-clock.ts";
import { Board, isSettled } from "./board.ts";
import type { RunningChild } from "./child-process.ts";
import { runnerLimits, superviseProcess, type ProcessPlan, type RunnerContext } from "./runner.ts";
import { Slots } from "./slots.ts";

/** Processes that exist in name only, and a clock that stands still. */
function createWorld(slots = 8) {
  const clock = new ManualClock();
  const board = new Board();
  const log: string[] = [];
  const ready = new Set<string>();
  const exits = new Map<string, (how: string) => void>();
  const hangs = new Map<string, PromiseWithResolvers<string | undefined>>();
  const graces: number[] = [];
  const context: RunnerContext = {
    clock,
    board,
    slots: new Slots(slots),
    observeReadiness: (adminUrl) => Promise.resolve(ready.has(adminUrl) ? undefined : "not yet"),
    whileReady: (key) => hangs.get(key)?.promise ?? Promise.resolve(undefined),
    whileStopping: (key, _, signal) => {
      log.push(`${key} is ${board.get(key)?.phase}`);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
    hurry: new AbortController().signal,
    onReady: (key) => void log.push(`${key} ready`),
    onTrouble: (key, message, retryMs) =>
      void log.push(`${key}: ${message}; again in ${Math.round(retryMs / 1_000)} s`),
  };
  const launch = (key: string): Promise<RunningChild> => {
    log.push(`${key} starts`);
    const { promise: exited, resolve } = Promise.withResolvers<string>();
    exits.set(key, resolve);
    const stop = (graceMs: number): Promise<void> => {
      graces.push(graceMs);
      log.push(`${key} stops`);
      resolve("was ended by SIGTERM");
      return Promise.resolve();
    };
    return Promise.resolve({ pid: 1, adminUrl: key, exited, stop });
  };
  const start = (key: string, dependencies: string[] = [], plan: Partial<ProcessPlan> = {}) => {
    const controller = new AbortController();
    const whole = { key, dependencies: () => dependencies, launch: () => launch(key), stopGraceMs: 1, ...plan };
    const ended = superviseProcess(whole, context, controller.signal);
    return { stop: () => (controller.abort(new Error("stopped")), ended) };
  };
  const becomeReady = async (key: string) => {
    ready.add(key);
    await clock.advance(100);
  };
  const crash = async (key: string) => {
    ready.delete(key);
    exits.get(key)?.("ended with code 1");
    await settle();
    await settle();
  };
  return { clock, board, log, graces, hangs, context, start, becomeReady, crash };
}

describe("CLI-1 the order of starting", () => {
  test("an agent starts as soon as all it depends on is ready, not earlier", async () => {
    const { start, becomeReady, log, board } = createWorld();
    const all = [start("boss", ["a", "b"]), start("a"), start("b")];
    await settle();
    expect(log).toEqual(["a starts", "b starts"]);
    await becomeReady("a");
    expect(board.get("boss")).toEqual({ phase: "waiting", detail: "waits for a, b" });
    await becomeReady("b");
    expect(log).toEqual(["a starts", "b starts", "a ready", "b ready", "boss starts"]);
    await Promise.all(all.map(({ stop }) => stop()));
  });

  test("DSC-6 it waits until it is known whether its servers are there, and no longer", async () => {
    const { start, log, board } = createWorld();
    const servers = ["server/d/a", "server/d/b"];
    const agent = start("agent", [], { servers: () => servers });
    await settle();
    expect(board.get("agent")).toEqual({ phase: "waiting", detail: "waits for a, b" });
    board.set("server/d/a", { phase: "ready", bridge: { status: "starting", processes: 1 } });
    board.set("server/d/b", { phase: "failing", detail: "port" });
    await settle();
    expect(log).toEqual([]);
    board.set("server/d/a", { phase: "ready", bridge: { status: "down", processes: 0 } });
    await settle();
    expect(log).toEqual(["agent starts"]);
    await agent.stop();
  });

  test("one that waits goes on when an edit takes away what it waits for", async () => {
    const { start, log, board } = createWorld();
    const dependencies = ["missing"];
    const { stop } = start("boss", dependencies);
    await settle();
    dependencies.pop();
    board.announce();
    await settle();
    expect(log).toEqual(["boss starts"]);
    await stop();
  });

  test("a dependency that fails later does not take down those that use it", async () => {
    const { start, becomeReady, crash, log } = createWorld();
    const all = [start("boss", ["a"]), start("a")];
    await settle();
    await becomeReady("a");
    await becomeReady("boss");
    await crash("a");
    expect(log.filter((line) => line.startsWith("boss"))).toEqual(["boss starts", "boss ready"]);
    await Promise.all(all.map(({ stop }) => stop()));
  });

  test("no more than the limit start at once, and the next when one is ready or in trouble", async () => {
    const { start, becomeReady, crash, log } = createWorld(2);
    const all = ["a", "b", "c", "d"].map((key) => start(key));
    await settle();
    expect(log).toEqual(["a starts", "b starts"]);
    await becomeReady("a");
    expect(log.at(-1)).toBe("c starts");
    await crash("b");
    expect(log).toContain("d starts");
    await Promise.all(all.map(({ stop }) => stop()));
  });
});

describe("CLI-1 a process in trouble is tried again", () => {
  test("one that is not ready after 60 s is stopped, reported and started again; at 60 s less a moment it is not", async () => {
    const { start, clock, log } = createWorld();
    const { stop } = start("a");
    await clock.advance(runnerLimits.readyWithinMs - 1);
    expect(log).toEqual(["a starts"]);
    await clock.advance(1);
    expect(log).toEqual(["a starts", "a stops", "a: is not ready after 60 s: not yet; again in 1 s"]);
    await clock.advance(1_000);
    expect(log.at(-1)).toBe("a starts");
    await stop();
  });

  test("crashes are retried later each time, up to 30 s, and from the start after a minute of health", async () => {
    const { start, clock, crash, becomeReady, board } = createWorld();
    const { stop } = start("a");
    await settle();
    const delaysMs: number[] = [];
    const waitForRetry = async () => {
      const since = clock.now();
      while (board.get("a")?.phase === "failing") await clock.advance(50);
      delaysMs.push(clock.now() - since);
    };
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await crash("a");
      await waitForRetry();
    }
    for (const [index, fullMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      expect(delaysMs[index]).toBeGreaterThanOrEqual(fullMs * 0.75 - 50);
      expect(delaysMs[index]).toBeLessThanOrEqual(fullMs + 50);
    }
    await becomeReady("a");
    await clock.advance(runnerLimits.steadyAfterMs);
    await crash("a");
    await waitForRetry();
    expect(delaysMs.at(-1)).toBeLessThanOrEqual(1_050);
    await stop();
  });

  test("one that hangs is stopped without its grace, and started again", async () => {
    const { start, becomeReady, hangs, graces, log, clock, board } = createWorld();
    const hang = Promise.withResolvers<string | undefined>();
    hangs.set("a", hang);
    const { stop } = start("a", [], { stopGraceMs: 600_000 });
    await settle();
    await becomeReady("a");
    hang.resolve("does not answer");
    hangs.delete("a");
    await settle();
    expect(log.slice(2)).toEqual(["a stops", "a: does not answer; again in 1 s"]);
    expect(graces).toEqual([1_000]);
    expect(board.get("a")).toEqual({ phase: "failing", detail: "does not answer" });
    await clock.advance(1_000);
    expect(log.at(-1)).toBe("a ready");
    await stop();
    expect(graces).toEqual([1_000, 600_000]);
  });

  test("why a start takes long is on the board, and the reason of a quick one is not", async () => {
    const { start, clock, board } = createWorld();
    const { stop } = start("a");
    await clock.advance(2_900);
    expect(board.get("a")).not.toHaveProperty("detail");
    await clock.advance(200);
    expect(board.get("a")).toMatchObject({ phase: "starting", detail: "not yet" });
    await stop();
  });

  test("one that cannot be launched is reported with what launching said", async () => {
    const { start, log, board } = createWorld();
    const { stop } = start("a", [], { launch: () => Promise.reject(new Error("port 5 is in use")) });
    await settle();
    expect(log).toEqual([expect.stringMatching(/^a: port 5 is in use; again in 1 s$/)]);
    expect(board.get("a")).toEqual({ phase: "failing", detail: "port 5 is in use" });
    await stop();
  });

  test("stopping ends the process, whatever it is doing, and leaves no state behind", async () => {
    const { start, log, board, clock } = createWorld(1);
    const waiting = start("waiting", ["missing"]);
    const starting = start("starting");
    const queued = start("queued");
    await settle();
    await Promise.all([waiting, starting, queued].map(({ stop }) => stop()));
    expect(log).toEqual(["starting starts", "starting is stopping", "starting stops"]);
    expect(["waiting", "starting", "queued"].map((key) => board.get(key))).toEqual([undefined, undefined, undefined]);
    expect(clock.pending).toHaveLength(0);
  });
});

describe("CLI-1 the table is shown when nothing more happens by itself", () => {
  const settled = (
    states: Record<string, "ready" | "starting" | "failing" | "waiting">,
    graph: Record<string, string[]>,
  ) => {
    const board = new Board();
    for (const [key, phase] of Object.entries(states)) board.set(key, { phase });
    return isSettled(board, new Map(Object.entries(graph)));
  };
  test.each([
    ["all are ready", true, { a: "ready" }, { a: [] }],
    ["one is starting", false, { a: "ready", b: "starting" }, { a: [], b: [] }],
    ["one has not begun", false, { a: "ready" }, { a: [], b: [] }],
    ["one waits for one that is starting", false, { a: "waiting", b: "starting" }, { a: ["b"], b: [] }],
    ["one waits for one in trouble", true, { a: "waiting", b: "failing" }, { a: ["b"], b: [] }],
    ["one waits for one that cannot run", true, { a: "waiting" }, { a: ["faulty"] }],
    ["one waits behind such a one", true, { a: "waiting", b: "waiting" }, { a: ["b"], b: ["faulty"] }],
    [
      "one waits for a ready and a starting one",
      false,
      { a: "waiting", b: "ready", c: "starting" },
      { a: ["b", "c"], b: [], c: [] },
    ],
  ] as const)("%s: %s", (_, expected, states, graph) => {
    expect(settled(states, Object.fromEntries(Object.entries(graph).map(([key, next]) => [key, [...next]])))).toBe(
      expected,
    );
  });
});

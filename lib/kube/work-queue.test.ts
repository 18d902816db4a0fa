import { describe, expect, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

function setUp(backoff = { initialMs: 5, maxMs: 1_000, random: () => 0 }) {
  const clock = new ManualClock();
  return { clock, queue: new WorkQueue({ clock, backoff }) };
}

async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const item = await queue.take();
    if (item === undefined) break;
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

describe("order and deduplication", () => {
  test("fault 23: 10,000 adds of one key are one item", async () => {
    const { queue } = setUp();
    for (let i = 0; i < 10_000; i += 1) queue.add("a");
    expect(queue.depth).toBe(1);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  test("keys come first in, first out", async () => {
    const { queue } = setUp();
    for (const key of ["c", "a", "b", "a"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["c", "a", "b"]);
  });

  test("a higher priority overtakes, and raises a key that waits already", async () => {
    const { queue } = setUp();
    for (const key of ["old-1", "old-2", "old-3"]) queue.add(key, { priority: -100 });
    queue.add("news");
    queue.add("old-3");
    queue.add("news", { priority: -100 });
    expect(await takeAll(queue)).toEqual(["news", "old-3", "old-1", "old-2"]);
  });

  test("a worker that waits gets the key at once", async () => {
    const { queue } = setUp();
    const taken = queue.take();
    queue.add("a");
    expect(await taken).toEqual({ key: "a", priority: 0 });
  });
});

describe("I1 one worker per key, no lost wake-up", () => {
  test("fault 24: a key added while it is worked on is handed out again only after done", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    expect(queue.depth).toBe(0);
    queue.done("a");
    expect(queue.depth).toBe(1);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  test("two waiting workers never get the same key", async () => {
    const { queue } = setUp();
    const taken = [queue.take(), queue.take()];
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect((await Promise.all(taken)).map((item) => item?.key)).toEqual(["a", "b"]);
  });

  test("done of a key that nobody took changes nothing", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.done("a");
    expect(queue.depth).toBe(1);
  });
});

describe("delays and back-off", () => {
  test("a delayed key is not ready one millisecond early", async () => {
    const { clock, queue } = setUp();
    queue.add("a", { afterMs: 100 });
    await clock.advance(99);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  test("of two delays the earlier stays, and one timer is enough", async () => {
    const { clock, queue } = setUp();
    queue.add("a", { afterMs: 100 });
    queue.add("a", { afterMs: 50 });
    queue.add("a", { afterMs: 200 });
    expect(clock.pending).toHaveLength(1);
    await clock.advance(50);
    expect(await takeAll(queue)).toEqual(["a"]);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);
  });

  test("an add without delay overtakes the delayed one and cancels it", async () => {
    const { clock, queue } = setUp();
    queue.add("a", { afterMs: 100 });
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    expect(clock.pending).toHaveLength(0);
  });

  test("fault 26: retries double per key up to the limit, and forget starts anew", () => {
    const { queue } = setUp();
    expect(Array.from({ length: 10 }, () => queue.retry("a"))).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000,
    ]);
    expect(queue.retry("b")).toBe(5);
    queue.forget("a");
    expect(queue.failures("a")).toBe(0);
    expect(queue.retry("a")).toBe(5);
  });

  test("a retry waits at least as long as the server asked", () => {
    const { queue } = setUp();
    expect(queue.retry("a", { atLeastMs: 400 })).toBe(400);
  });

  test("jitter only shortens, by less than a quarter", () => {
    const { queue } = setUp({ initialMs: 100, maxMs: 100, random: () => 0.999 });
    const delay = queue.retry("a");
    expect(delay).toBeGreaterThanOrEqual(75);
    expect(delay).toBeLessThan(76);
  });

  test("fault 25: a key that keeps failing does not starve others", async () => {
    const { clock, queue } = setUp();
    queue.add("poison");
    queue.add("good");
    const first = await queue.take();
    queue.retry("poison");
    queue.done(first?.key ?? "");
    expect(await takeAll(queue)).toEqual(["good"]);
    await clock.advance(5);
    expect(await takeAll(queue)).toEqual(["poison"]);
  });
});

describe("a key that is added again while it is worked on", () => {
  test.each([
    ["comes with the priority of that add", [-10], -10],
    ["comes with the highest of several", [-100, 0, -10], 0],
  ])("%s", async (_title, priorities, expected) => {
    const { queue } = setUp();
    queue.add("a", { priority: 5 });
    await queue.take();
    for (const priority of priorities) queue.add("a", { priority });
    queue.done("a");
    expect(await queue.take()).toEqual({ key: "a", priority: expected });
  });
});

describe("shutdown", () => {
  test("waiting keys are still handed out, delayed ones dropped, new ones refused", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    queue.add("late", { afterMs: 10 });
    queue.shutDown();
    queue.add("b");
    expect(clock.pending).toHaveLength(0);
    expect((await queue.take())?.key).toBe("a");
    expect(await queue.take()).toBeUndefined();
  });

  test("drained waits for the work in flight", async () => {
    const { queue } = setUp();
    let drained = false;
    void queue.drained.then(() => (drained = true));
    queue.add("a");
    queue.add("b");
    await queue.take();
    queue.add("a");
    queue.shutDown({ discardWaiting: true });
    await settle();
    expect(drained).toBe(false);
    queue.done("a");
    await settle();
    expect(drained).toBe(true);
  });

  test("workers that wait are let go", async () => {
    const { queue } = setUp();
    const taken = queue.take();
    queue.shutDown();
    expect(await taken).toBeUndefined();
  });
});

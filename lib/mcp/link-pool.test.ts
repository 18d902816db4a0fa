import { describe, expect, test } from "vitest";
import { ManualClock } from "../process/testing/manual-clock.ts";
import type { Link } from "./link.ts";
import { createLinkPool } from "./link-pool.ts";

function createPool(options: { maxLinks?: number } = {}) {
  const clock = new ManualClock();
  const opened: (string | undefined)[] = [];
  const closed: (string | undefined)[] = [];
  const open = (bearer: string | undefined): Link => {
    opened.push(bearer);
    return {
      tools: async () => [],
      problem: () => undefined,
      latest: () => undefined,
      use: () => Promise.reject(new Error("not used")),
      call: async () => ({ content: [] }),
      close: async () => void closed.push(bearer),
    };
  };
  return {
    pool: createLinkPool({ open, keyOf: (bearer) => bearer, clock, idleTtlMs: 1_000, ...options }),
    clock,
    opened,
    closed,
  };
}

describe("BRR-2 links by token", () => {
  test("one for each token and one for those without, used again by the runs of that token", () => {
    const { pool, opened } = createPool();
    const first = pool.lease("a");
    first.release();
    expect(pool.lease("a").link).toBe(first.link);
    expect(pool.lease("b").link).not.toBe(first.link);
    expect(pool.lease(undefined).link).not.toBe(first.link);
    expect(pool.lease("").link).not.toBe(pool.lease(undefined).link);
    expect(opened).toEqual(["a", "b", undefined, ""]);
  });

  test("one that nobody uses is closed after its time, and not while any run uses it", async () => {
    const { pool, clock, closed } = createPool();
    const [one, two] = [pool.lease("a"), pool.lease("a")];
    one.release();
    one.release();
    await clock.advance(10_000);
    expect(closed).toEqual([]);
    two.release();
    await clock.advance(999);
    pool.lease("a").release();
    await clock.advance(999);
    expect(closed).toEqual([]);
    await clock.advance(1);
    expect(closed).toEqual(["a"]);
    expect(clock.pending).toEqual([]);
  });

  test("at the cap the one idle longest gives way; when all are in use a run gets one for itself", () => {
    const { pool, opened, closed } = createPool({ maxLinks: 2 });
    const [a, b] = [pool.lease("a"), pool.lease("b")];
    expect(closed).toEqual([]);
    const extra = pool.lease("c");
    const another = pool.lease("c");
    expect(another.link).not.toBe(extra.link);
    extra.release();
    extra.release();
    another.release();
    expect(closed).toEqual(["c", "c"]);
    b.release();
    a.release();
    pool.lease("c");
    expect(closed).toEqual(["c", "c", "b"]);
    expect(pool.lease("a").link).toBe(a.link);
    expect(opened).toEqual(["a", "b", "c", "c", "c"]);
  });

  test("closing closes all, and late releases and timers do nothing", async () => {
    const { pool, clock, closed } = createPool();
    const lease = pool.lease("a");
    pool.lease("b").release();
    await pool.close();
    lease.release();
    await clock.advance(5_000);
    expect(closed).toEqual(["a", "b"]);
  });
});

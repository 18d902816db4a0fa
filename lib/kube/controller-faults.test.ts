// Problems of single keys, numbered as in test/faults/rows.ts: none may cost another key its turn, or itself a wake-up.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TransportError } from "./api-error.ts";
import { createController, type ControllerOptions, type ReconcileContext } from "./controller.ts";
import { silentLog } from "./testing/silent-log.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

function setUp(work: (context: ReconcileContext) => Promise<unknown>, options: Partial<ControllerOptions> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const reconcile = vi.fn(async (context: ReconcileContext) => {
    await work(context);
    return {};
  });
  const controller = createController({
    name: "widget",
    sources: [],
    reconcile,
    log: silentLog(),
    clock,
    backoff: { initialMs: 5, maxMs: 1_000_000, random: () => 0 },
    ...options,
  });
  const finished = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.advance(20_000);
    await finished;
  });
  const runsOf = (key: string) => reconcile.mock.calls.filter(([context]) => context.key === key).length;
  return { clock, controller, reconcile, runsOf };
}

describe("fault 23: 10,000 adds of one key", () => {
  test("are one run", async () => {
    const { controller, clock, reconcile } = setUp(() => settle());
    await settle();
    for (let i = 0; i < 10_000; i += 1) controller.enqueue("ns/a", { priority: i % 3 });
    await clock.advance(60_000);
    // The first add finds a worker that waits, and is on its way to it; the others are the second run.
    expect(reconcile.mock.calls.length).toBeLessThanOrEqual(2);
    expect(reconcile).toHaveBeenCalled();
  });

  test("are one run more when they come during a run", async () => {
    const first = Promise.withResolvers<void>();
    const { controller, clock, reconcile } = setUp(() => first.promise);
    controller.enqueue("ns/a");
    await settle();
    for (let i = 0; i < 10_000; i += 1) controller.enqueue("ns/a");
    await settle();
    expect(reconcile).toHaveBeenCalledTimes(1);
    first.resolve();
    await clock.advance(60_000);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });
});

describe("fault 24: a key is added while it is worked on", () => {
  test.each<[string, (key: string) => Promise<void>]>([
    ["succeeds", () => Promise.resolve()],
    ["fails", () => Promise.reject(new Error("boom"))],
  ])("it runs again at once, on what is there then, although the run %s", async (_title, end) => {
    let world = 1;
    const seen: number[] = [];
    const { controller, reconcile } = setUp(async ({ key }) => {
      seen.push(world);
      if (seen.length > 1) return;
      // The change comes after this run has looked.
      world = 2;
      controller.enqueue(key);
      await settle();
      await end(key);
    });
    controller.enqueue("ns/a");
    // No time passes: neither back-off nor delay may be needed for the second run.
    await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(2));
    expect(seen).toEqual([1, 2]);
  });
});

describe("fault 25: a key fails for ever", () => {
  test("100 such keys hold up 1,000 good ones for no longer than one run each", async () => {
    const { controller, clock, reconcile, runsOf } = setUp(
      ({ key }) => (key.startsWith("poison") ? Promise.reject(new Error("boom")) : Promise.resolve()),
      { workers: 1 },
    );
    for (let i = 0; i < 100; i += 1) controller.enqueue(`poison/${i}`);
    for (let i = 0; i < 1_000; i += 1) controller.enqueue(`good/${i}`);
    // One worker, and no time for any back-off to end.
    await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(1_100));
    for (let i = 0; i < 1_000; i += 1) expect(runsOf(`good/${i}`)).toBe(1);
    // And later: news of a good key waits for none of the retries that have piled up.
    await clock.advance(10 * 60_000);
    controller.enqueue("good/0");
    await settle();
    expect(runsOf("good/0")).toBe(2);
    // 5 ms · (2^17 − 1) is over ten minutes: each has had its 17 tries and no more.
    expect(runsOf("poison/0")).toBe(17);
  });
});

describe("fault 27: a reconcile hangs", () => {
  test("one for each worker, deaf to the abort: others get their turn after the deadline", async () => {
    const never = new Promise<never>(() => undefined);
    const { controller, clock, runsOf } = setUp(({ key }) => (key.startsWith("hung") ? never : Promise.resolve()), {
      workers: 2,
      reconcileTimeoutMs: 60_000,
    });
    for (const key of ["hung/1", "hung/2", "good/1"]) controller.enqueue(key);
    await clock.advance(60_000);
    expect(runsOf("good/1")).toBe(0);
    // A second of grace, in which they could still obey.
    await clock.advance(1_000);
    expect(runsOf("good/1")).toBe(1);
    // Never two runs of one key, however long the first one takes.
    controller.enqueue("hung/1");
    await clock.advance(600_000);
    expect(runsOf("hung/1")).toBe(1);
  });
});

describe("a server that is away", () => {
  const away = (timedOut: boolean) => new TransportError("no answer", { cause: undefined, timedOut });

  test("makes no key wait longer than 5 s, and the next failure of another kind is no worse for it", async () => {
    const at: number[] = [];
    const { controller, clock } = setUp(async () => {
      at.push(clock.now());
      throw at.length <= 700 ? away(false) : new Error("boom");
    });
    controller.enqueue("ns/a");
    await clock.advance(60 * 60_000);
    const delaysMs = at.slice(1).map((ms, index) => ms - (at[index] ?? 0));
    expect(Math.max(...delaysMs.slice(0, 700))).toBe(5_000);
    // 5 ms · 2^10 is the first delay above 5 s: the back-off goes on from there, not from the 700th failure.
    expect(delaysMs.slice(700, 703)).toEqual([5_120, 10_240, 20_480]);
  });

  test("but one that lets calls time out is left alone more and more", async () => {
    const { controller, clock, runsOf } = setUp(() => Promise.reject(away(true)));
    controller.enqueue("ns/a");
    await clock.advance(60 * 60_000);
    expect(runsOf("ns/a")).toBeLessThan(25);
  });
});

import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiError } from "./api-error.ts";
import { createController, type ControllerOptions, type ReconcileContext, type ReconcileResult } from "./controller.ts";
import { createKubeMetrics } from "./metrics.ts";
import { Conflict, Stalled, Waiting } from "./outcome.ts";
import type { Source } from "./source.ts";
import { silentLog } from "./testing/silent-log.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

type Work = (context: ReconcileContext) => Promise<ReconcileResult>;

function setUp(work: Work, options: Partial<ControllerOptions> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const reconcile = vi.fn(work);
  const registry = new Registry();
  const controller = createController({
    name: "widget",
    sources: [],
    reconcile,
    log: silentLog(),
    clock,
    metrics: createKubeMetrics(registry),
    backoff: { initialMs: 5, maxMs: 1_000_000, random: () => 0 },
    ...options,
  });
  const finished = controller.run(stop.signal);
  onTestFinished(() => stop.abort());
  const metric = async (name: string, labels: Record<string, string> = {}) => {
    const found = await registry.getSingleMetric(name)?.get();
    return found?.values.find((value) => Object.entries(labels).every(([label, is]) => value.labels[label] === is))
      ?.value;
  };
  return { clock, stop, reconcile, controller, finished, metric };
}

function source(synced: Promise<void>, keys: readonly string[] = []): Source {
  let isKnown = false;
  void synced.then(() => (isKnown = true));
  return {
    name: "widgets",
    hasSynced: false,
    ensureSynced: () => (isKnown ? undefined : synced),
    connect(enqueue) {
      for (const key of keys) enqueue(key, {});
      return () => undefined;
    },
  };
}

const never = new Promise<never>(() => undefined);

describe("I3 nothing is reconciled before the caches are filled", () => {
  test("keys wait until every source has synced", async () => {
    const late = Promise.withResolvers<void>();
    const sources = [source(Promise.resolve(), ["ns/a"]), source(late.promise)];
    const { reconcile, clock } = setUp(async () => ({}), { sources });
    await clock.advance(60_000);
    expect(reconcile).not.toHaveBeenCalled();
    late.resolve();
    await vi.waitFor(() => expect(reconcile).toHaveBeenCalledOnce());
    expect(reconcile.mock.calls[0]?.[0]).toMatchObject({ key: "ns/a", namespace: "ns", name: "a" });
  });

  test("a stop before that ends the run without a reconcile", async () => {
    const { reconcile, stop, finished } = setUp(async () => ({}), { sources: [source(never, ["ns/a"])] });
    stop.abort();
    await finished;
    expect(reconcile).not.toHaveBeenCalled();
  });
});

describe("I1 one reconcile per key at a time", () => {
  test("under random adds no key runs twice at once, and the last add is never lost", async () => {
    const running = new Set<string>();
    const wanted = new Map<string, number>();
    const seen = new Map<string, number>();
    let overlaps = 0;
    const { controller } = setUp(
      async ({ key }) => {
        if (running.has(key)) overlaps += 1;
        running.add(key);
        const version = wanted.get(key) ?? 0;
        for (let i = 0; i < Math.random() * 5; i += 1) await settle();
        seen.set(key, version);
        running.delete(key);
        return {};
      },
      { workers: 8 },
    );
    for (let i = 1; i <= 2_000; i += 1) {
      const key = `ns/${Math.floor(Math.random() * 5)}`;
      wanted.set(key, i);
      controller.enqueue(key);
      if (i % 7 === 0) await settle();
    }
    await vi.waitFor(() => expect(seen).toEqual(wanted));
    expect(overlaps).toBe(0);
  });

  test("no more reconciles run at once than there are workers", async () => {
    const { controller, reconcile } = setUp(() => never, { workers: 2 });
    for (const key of ["a", "b", "c"]) controller.enqueue(key);
    await settle();
    expect(reconcile).toHaveBeenCalledTimes(2);
  });
});

describe("the result decides when a key comes back", () => {
  const failing = (error: unknown) => {
    let calls = 0;
    return async () => {
      calls += 1;
      if (calls === 1) throw error;
      return {};
    };
  };

  test.each<[string, unknown, number, number]>([
    ["an error after the back-off", new Error("boom"), 5, 5],
    [
      "an error with Retry-After not earlier than asked",
      new ApiError({ status: 503, reason: "x", message: "x", retryAfterMs: 70 }),
      70,
      70,
    ],
    ["Waiting after its time, with jitter", new Waiting({ reason: "R", message: "m", retryMs: 1_000 }), 1_000, 1_100],
    ["Conflict after a minute", new Conflict({ message: "m" }), 60_000, 66_000],
    ["something thrown that is no error like an error", "text", 5, 5],
  ])("%s", async (_title, error, notBeforeMs, atLatestMs) => {
    const { clock, controller, reconcile } = setUp(failing(error));
    controller.enqueue("a");
    await clock.advance(notBeforeMs - 1);
    expect(reconcile).toHaveBeenCalledTimes(1);
    await clock.advance(atLatestMs - notBeforeMs + 1);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  test("Stalled never by itself, but at the next change", async () => {
    const { clock, controller, reconcile, metric } = setUp(failing(new Stalled({ reason: "Bad", message: "m" })));
    controller.enqueue("a");
    await clock.advance(24 * 3_600_000);
    expect(reconcile).toHaveBeenCalledTimes(1);
    controller.enqueue("a");
    await settle();
    expect(reconcile).toHaveBeenCalledTimes(2);
    expect(await metric("controller_runtime_terminal_reconcile_errors_total")).toBe(1);
  });

  test("a back-off does not go on growing over a Stalled", async () => {
    const outcomes = [new Error("1"), new Error("2"), new Stalled({ reason: "Bad", message: "m" }), new Error("3")];
    const { clock, controller, reconcile } = setUp(async () => {
      const error = outcomes.shift();
      if (error) throw error;
      return {};
    });
    controller.enqueue("a");
    await clock.advance(5 + 10);
    expect(reconcile).toHaveBeenCalledTimes(3);
    controller.enqueue("a");
    await clock.advance(4);
    expect(reconcile).toHaveBeenCalledTimes(4);
    await clock.advance(1);
    expect(reconcile).toHaveBeenCalledTimes(5);
  });

  test("requeueAfterMs after success", async () => {
    const { clock, controller, reconcile } = setUp(async () => ({ requeueAfterMs: 300 }));
    controller.enqueue("a");
    await clock.advance(299);
    expect(reconcile).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  test("fault 26: success ends the back-off", async () => {
    const outcomes = [new Error("1"), new Error("2"), undefined, new Error("3")];
    const { clock, controller, reconcile } = setUp(async () => {
      const error = outcomes.shift();
      if (error !== undefined) throw error;
      return {};
    });
    controller.enqueue("a");
    await clock.advance(15);
    expect(reconcile).toHaveBeenCalledTimes(3);
    controller.enqueue("a");
    await clock.advance(5);
    expect(reconcile).toHaveBeenCalledTimes(5);
  });
});

describe("I12 every reconcile has a deadline", () => {
  const untilAbort: Work = ({ signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("obeyed"))));

  test("fault 27: one that hangs is aborted, counted and tried again", async () => {
    const { clock, controller, reconcile, metric } = setUp(untilAbort, { reconcileTimeoutMs: 100 });
    controller.enqueue("a");
    await clock.advance(105);
    expect(reconcile).toHaveBeenCalledTimes(2);
    expect(await metric("controller_runtime_reconcile_timeouts_total")).toBe(1);
  });

  test("one that says at the deadline what it waits for has not failed", async () => {
    const waiting = new Waiting({ reason: "R", message: "m", retryMs: 1_000 });
    const work: Work = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(waiting)));
    const { clock, controller, reconcile, metric } = setUp(work, { reconcileTimeoutMs: 100 });
    controller.enqueue("a");
    await clock.advance(100 + 999);
    expect(reconcile).toHaveBeenCalledTimes(1);
    await clock.advance(1 + 100);
    expect(reconcile).toHaveBeenCalledTimes(2);
    expect(reconcile.mock.calls[1]?.[0].failures).toBe(0);
    expect(await metric("controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("one that ignores its abort loses its worker but keeps its key", async () => {
    const { clock, controller, reconcile } = setUp(({ key }) => (key === "hung" ? never : Promise.resolve({})), {
      workers: 1,
      reconcileTimeoutMs: 100,
    });
    controller.enqueue("hung");
    controller.enqueue("good");
    await clock.advance(100 + 1_000);
    controller.enqueue("hung");
    await clock.advance(10_000);
    expect(reconcile.mock.calls.map(([context]) => context.key)).toEqual(["hung", "good"]);
  });

  test("after the stop, work in flight may finish; then it is aborted", async () => {
    const { clock, controller, stop, finished, reconcile } = setUp(untilAbort, { drainTimeoutMs: 500 });
    controller.enqueue("a");
    await settle();
    stop.abort();
    controller.enqueue("b");
    await clock.advance(499);
    const signal = reconcile.mock.calls[0]?.[0].signal;
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    await finished;
    expect(reconcile).toHaveBeenCalledTimes(1);
  });
});

describe("MET-4 metrics have controller-runtime's names", () => {
  test("start at 0 and count by result", async () => {
    const { clock, controller, metric } = setUp(async ({ key }) => {
      if (key === "bad") throw new Error("boom");
      return {};
    });
    expect(await metric("controller_runtime_reconcile_errors_total", { controller: "widget" })).toBe(0);
    controller.enqueue("good");
    controller.enqueue("bad");
    await clock.advance(1);
    expect(await metric("controller_runtime_reconcile_total", { result: "success" })).toBe(1);
    expect(await metric("controller_runtime_reconcile_total", { result: "error" })).toBe(1);
    expect(await metric("controller_runtime_reconcile_errors_total")).toBe(1);
    expect(await metric("controller_runtime_max_concurrent_reconciles")).toBe(4);
    expect(await metric("controller_runtime_active_workers")).toBe(0);
    expect(await metric("workqueue_adds_total", { name: "widget" })).toBe(2);
    expect(await metric("workqueue_retries_total")).toBe(1);
    expect(await metric("workqueue_depth")).toBe(0);
  });
});

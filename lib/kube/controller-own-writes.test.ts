import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApplier } from "./apply.ts";
import { createWriteTracker } from "./consistency.ts";
import { createController, type ReconcileContext } from "./controller.ts";
import { isControlledBy, type LiveObject } from "./object.ts";
import { writeStatus } from "./status.ts";
import { Store } from "./store.ts";
import { controllerReference } from "./testing/controller-reference.ts";
import { FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

/** A controller whose cache is fed by hand: every widget gets a child. */
async function setUp() {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const clock = new ManualClock();
  const log = silentLog();
  const store = new Store<LiveObject>({ indexes: {}, onListenerError: (error) => expect.fail(String(error)) });
  const tracker = createWriteTracker({ informers: [{ type: widgetType, store }], clock, log });
  const applier = createApplier({ transport, fieldManager: "t", hashAnnotation: "example.com/hash", log, tracker });
  const apply = (color: string) => async (_context: ReconcileContext) => {
    const parent = store.get("default/p");
    if (parent === undefined) throw new Error("the parent is missing");
    const metadata = { name: "c", namespace: "default", ownerReferences: [controllerReference(parent)] };
    const desired = { apiVersion: "example.com/v1", kind: "Widget", metadata, color };
    const live = store.get("default/c");
    const ours = (found: LiveObject) => isControlledBy(found, parent);
    await applier.apply({ type: widgetType, desired, live, ours, signal: new AbortController().signal });
    return {};
  };
  const reconcile = vi.fn(apply("red"));
  const controller = createController({
    name: "widget",
    sources: [],
    reconcile,
    log,
    clock,
    workers: 1,
    ownWrites: tracker.of(widgetType),
  });
  const stop = new AbortController();
  const finished = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.advance(20_000);
    await finished;
    await transport.close();
    await fake.stop();
  });
  /** What the watch would tell. */
  const see = (name: string) => {
    const found = fake.get(name);
    if (found === undefined) throw new Error(`${name} is missing`);
    store.upsert({ apiVersion: "example.com/v1", kind: "Widget", ...found });
  };
  fake.put("p");
  see("p");
  const calls = (count: number) => vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(count));
  const written = (count: number) => vi.waitFor(() => expect(fake.seen("write")).toHaveLength(count));
  return { fake, transport, clock, store, tracker, controller, reconcile, apply, see, calls, written };
}

describe("I7 a controller and its own writes", () => {
  test("the key waits for the cache, other keys do not, and the wake-up is not lost", async () => {
    const { controller, reconcile, see, calls, written, tracker } = await setUp();
    controller.enqueue("default/p");
    await written(1);
    await vi.waitFor(() => expect(tracker.size).toBe(1));
    for (let i = 0; i < 5; i += 1) controller.enqueue("default/p");
    await settle();
    expect(reconcile).toHaveBeenCalledTimes(1);
    reconcile.mockResolvedValueOnce({});
    controller.enqueue("default/other");
    await calls(2);
    see("c");
    await calls(3);
    await settle();
    expect(reconcile.mock.calls.map(([{ key }]) => key)).toEqual(["default/p", "default/other", "default/p"]);
    await written(1);
  });

  test("after 5 s it goes on, and the server is asked instead of the cache", async () => {
    const { fake, clock, controller, reconcile, apply, see, calls, written, tracker } = await setUp();
    controller.enqueue("default/p");
    await written(1);
    await vi.waitFor(() => expect(tracker.size).toBe(1));
    see("c");
    reconcile.mockImplementation(apply("blue"));
    controller.enqueue("default/p");
    await written(2);
    await vi.waitFor(() => expect(tracker.size).toBe(1));
    const gets = () => fake.exchanges.filter(({ method }) => method === "GET").length;
    const before = gets();
    controller.enqueue("default/p");
    await clock.advance(5_000);
    await calls(3);
    await vi.waitFor(() => expect(gets()).toBe(before + 1));
    await settle();
    expect(fake.seen("write")).toHaveLength(2); // The cache still says red; the server does not.
  });

  test("a child that is gone behind the cache is made again", async () => {
    const { fake, clock, controller, see, written, tracker } = await setUp();
    controller.enqueue("default/p");
    await written(1);
    see("c");
    fake.put("c", { color: "green" }, { metadata: { ...fake.get("c")?.metadata } });
    see("c");
    controller.enqueue("default/p");
    await written(2);
    await vi.waitFor(() => expect(tracker.size).toBe(1));
    fake.remove("c");
    controller.enqueue("default/p");
    await clock.advance(5_000);
    await written(3);
    expect(fake.get("c")).toMatchObject({ color: "red" });
  });

  test("it comes back with the highest priority that was asked for meanwhile", async () => {
    const seen = Promise.withResolvers<void>();
    const unblocked = Promise.withResolvers<void>();
    let isSeen = false;
    const order: string[] = [];
    const controller = createController({
      name: "widget",
      sources: [],
      workers: 1,
      log: silentLog(),
      ownWrites: { ensureSeen: (key) => (key === "late" && !isSeen ? seen.promise : undefined) },
      reconcile: async ({ key }) => {
        order.push(key);
        if (key === "blocker") await unblocked.promise;
        return {};
      },
    });
    const stop = new AbortController();
    const finished = controller.run(stop.signal);
    for (const priority of [-100, 5, -100]) {
      controller.enqueue("late", { priority });
      await settle();
    }
    controller.enqueue("blocker");
    await settle();
    controller.enqueue("other");
    isSeen = true;
    seen.resolve();
    await settle();
    unblocked.resolve();
    await vi.waitFor(() => expect(order).toEqual(["blocker", "late", "other"]));
    stop.abort();
    await finished;
  });

  test("a status write is followed too", async () => {
    const { transport, store, tracker, see } = await setUp();
    const live = store.get("default/p");
    if (live === undefined) throw new Error("the parent is missing");
    const signal = new AbortController().signal;
    const request = { type: widgetType, live, status: { ready: 1 }, fieldManager: "t", tracker, signal };
    expect(await writeStatus(transport, request)).toBe("written");
    expect(tracker.isBehind(widgetType, "default/p")).toBe(true);
    see("p");
    expect(tracker.isBehind(widgetType, "default/p")).toBe(false);
  });
});

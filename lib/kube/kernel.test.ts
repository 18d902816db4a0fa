import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApplier } from "./apply.ts";
import { createController } from "./controller.ts";
import { createInformer } from "./informer.ts";
import { controllerOf, isControlledBy, objectKey, type RawObject } from "./object.ts";
import { createSource, desiredStateChanged, ownerKey, selfKey } from "./source.ts";
import { controllerReference } from "./testing/controller-reference.ts";
import { FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";
import { settle } from "../process/testing/manual-clock.ts";

/** A whole controller: every widget without a controller gets a child widget that copies its color. */
async function setUp(count: number) {
  const fake = await FakeApiServer.start();
  const log = silentLog();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  const timing = { backoff: { initialMs: 2, maxMs: 20 } };
  const informer = createInformer<RawObject>({
    transport,
    type: widgetType,
    parse: (raw) => raw,
    indexes: {},
    log,
    timing,
  });
  const applier = createApplier({ transport, fieldManager: "test", hashAnnotation: "example.com/applied-hash", log });
  const reconcile = vi.fn(async ({ key, signal }: { key: string; signal: AbortSignal }) => {
    const widget = informer.store.get(key);
    if (widget === undefined || controllerOf(widget) !== undefined) return {};
    const { name, namespace = "" } = widget.metadata;
    const metadata = { name: `${name}-child`, namespace, ownerReferences: [controllerReference(widget)] };
    const desired = { apiVersion: "example.com/v1", kind: "Widget", metadata, color: widget["color"] };
    const live = informer.store.get(objectKey(namespace, metadata.name));
    await applier.apply({ type: widgetType, desired, live, ours: (found) => isControlledBy(found, widget), signal });
    return {};
  });
  const sources = [
    createSource({ informer, toKeys: selfKey, when: desiredStateChanged }),
    createSource({ informer, toKeys: ownerKey(widgetType) }),
  ];
  const controller = createController({ name: "widget", sources, reconcile, log });
  const stop = new AbortController();
  for (let i = 0; i < count; i += 1) fake.put(`w${i}`, { color: "red" });
  informer.start();
  const finished = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await finished;
    await informer.stop();
    await transport.close();
    await fake.stop();
  });
  /** Nothing written, nothing asked for, for a while of the event loop. */
  const quiet = async () => {
    const before = [fake.exchanges.length, reconcile.mock.calls.length];
    for (let i = 0; i < 50; i += 1) await settle();
    expect([fake.exchanges.length, reconcile.mock.calls.length]).toEqual(before);
  };
  const childColors = () => Array.from({ length: count }, (_, i) => fake.get(`w${i}-child`)?.["color"]);
  const writes = () => fake.seen("write").length;
  return { fake, informer, controller, childColors, writes, quiet };
}

describe("a controller built from the parts", () => {
  test("OPR-2 OPR-8 makes each child with one write, and a steady state makes none", async () => {
    const { fake, controller, childColors, writes, quiet, informer } = await setUp(50);
    await vi.waitFor(() => expect(childColors().every((color) => color === "red")).toBe(true), { timeout: 5_000 });
    await vi.waitFor(quiet);
    expect(informer.store.size).toBe(100);
    const made = writes();
    expect(made).toBe(50);
    for (let i = 0; i < 50; i += 1) controller.enqueue(`default/w${i}`);
    await vi.waitFor(quiet);
    fake.put(
      "unrelated-child",
      {},
      { metadata: { ownerReferences: [{ kind: "Gadget", controller: true }] }, quiet: true },
    );
    fake.compact();
    fake.resetWatches();
    await vi.waitFor(() => expect(fake.seen("list")).toHaveLength(2));
    await vi.waitFor(quiet);
    expect(writes()).toBe(made);
  });

  test("OPR-5 deleted and edited children come back, changed owners are followed", async () => {
    const { fake, childColors } = await setUp(3);
    const all = (color: string) =>
      vi.waitFor(() => expect(childColors()).toEqual([color, color, color]), { timeout: 5_000 });
    await all("red");
    fake.remove("w0-child");
    fake.put("w1-child", { color: "green" }, { metadata: fake.get("w1-child")?.metadata ?? {} });
    await all("red");
    for (const name of ["w0", "w1", "w2"]) fake.put(name, { color: "blue" });
    await all("blue");
  });
});

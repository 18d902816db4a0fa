// The limits that take more than a fake server could say in time: played against a transport that answers at once.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiError } from "./api-error.ts";
import { createApplier } from "./apply.ts";
import { createWriteTracker } from "./consistency.ts";
import { createInformer } from "./informer.ts";
import type { KubeObject, LiveObject, RawObject } from "./object.ts";
import { Stalled } from "./outcome.ts";
import { Store } from "./store.ts";
import { widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import type { Call, Transport } from "./transport.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

const quiet: Transport["watch"] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const { signal } = new AbortController();

function startInformer(transport: Pick<Transport, "request" | "watch">, clock = new ManualClock()) {
  const informer = createInformer<RawObject>({
    transport: { ...transport, close: async () => undefined },
    type: widgetType,
    parse: (raw) => raw,
    indexes: {},
    log: silentLog(),
    clock,
  });
  onTestFinished(() => informer.stop());
  informer.start();
  return { informer, clock };
}

describe("I12 limits of a reflector", () => {
  test.each([
    ["10,000 pages are read", 10_000, undefined],
    ["a list of one more is given up", 10_001, "the list of widgets did not end after 10000 pages"],
  ])("%s", async (_title, pages, message) => {
    let left = pages;
    const request = async () => {
      left -= 1;
      return { metadata: { resourceVersion: "1", ...(left > 0 ? { continue: "next" } : {}) }, items: [] };
    };
    const { informer } = startInformer({ request, watch: quiet });
    const outcome = () => [informer.hasSynced, informer.state.message];
    await vi.waitFor(() => expect(outcome()).toEqual([message === undefined, message]));
  });

  test.each([
    ["a minute is obeyed", 60_000],
    ["a day is a minute", 86_400_000],
  ])("Retry-After of %s", async (_title, retryAfterMs) => {
    const watch = vi.fn<Transport["watch"]>(async () => {
      throw new ApiError({ status: 429, reason: "TooManyRequests", message: "busy", retryAfterMs });
    });
    const request = async () => ({ metadata: { resourceVersion: "1" }, items: [] });
    const { clock } = startInformer({ request, watch });
    await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(1));
    await clock.advance(59_999);
    expect(watch).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(2));
  });
});

describe("I6 objects that differ for good", () => {
  const desired = (name: string): KubeObject & { readonly spec: object } => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name, namespace: "ns" },
    spec: { size: "big" },
  });

  /** The server keeps another form of everything. */
  async function applyAll(count: number) {
    const answers = new Map<string, LiveObject>();
    const request = async ({ body }: Call) => {
      const object = structuredClone(Object(body));
      object.metadata = { ...object.metadata, uid: `uid-${object.metadata.name}`, resourceVersion: "2" };
      object.spec = { size: "BIG" };
      answers.set(object.metadata.name, object);
      return structuredClone(object);
    };
    const transport = { request, watch: quiet, close: async () => undefined };
    const applier = createApplier({ transport, fieldManager: "t", hashAnnotation: "hash", log: silentLog() });
    const apply = async (name: string) => {
      const request = { type: widgetType, desired: desired(name), live: answers.get(name), ours: () => true, signal };
      return (await applier.apply(request)).action;
    };
    for (let i = 0; i < count; i += 1) await apply(`w${i}`);
    return apply;
  }

  test("10,000 are remembered", async () => {
    const apply = await applyAll(10_000);
    expect([await apply("w0"), await apply("w9999")]).toEqual(["unchanged", "unchanged"]);
  });

  test("of one more the oldest is tried again", async () => {
    const apply = await applyAll(10_001);
    expect([await apply("w1"), await apply("w0")]).toEqual(["unchanged", "updated"]);
  });
});

describe("I7 a write of ours whose object is gone", () => {
  test("is waited for no longer once the server has said so, whatever becomes of the next write", async () => {
    const store = new Store<LiveObject>({ indexes: {}, onListenerError: () => undefined });
    const tracker = createWriteTracker({ informers: [{ type: widgetType, store }], log: silentLog() });
    const metadata = { name: "c", namespace: "ns", uid: "u", resourceVersion: "7" };
    tracker.wrote(widgetType, { apiVersion: "example.com/v1", kind: "Widget", metadata });
    const request = async () => {
      throw new ApiError({ status: 404, reason: "NotFound", message: "gone" });
    };
    const transport = { request, watch: quiet, close: async () => undefined };
    const applier = createApplier({ transport, fieldManager: "t", hashAnnotation: "hash", log: silentLog(), tracker });
    const desired = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "c", namespace: "ns" } };
    const beforeWrite = async () => {
      throw new Stalled({ reason: "OwnerGone", message: "gone" });
    };
    const applied = applier.apply({
      type: widgetType,
      desired,
      live: undefined,
      ours: () => true,
      beforeWrite,
      signal,
    });
    await expect(applied).rejects.toThrow(Stalled);
    expect([tracker.size, tracker.of(widgetType).ensureSeen("ns/c")]).toEqual([0, undefined]);
    await settle();
  });
});

import { describe, expect, test } from "vitest";
import type { LiveMeta, LiveObject } from "./object.ts";
import { createSource, desiredStateChanged, ownerKey, selfKey, type SourceOptions } from "./source.ts";
import { Store } from "./store.ts";
import { widgetType } from "./testing/fake-api-server.ts";

function widget(resourceVersion: string, metadata: Partial<LiveMeta> = {}): LiveObject {
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion, ...metadata },
  };
}

function owned(resourceVersion: string, owner: string, fields: object = {}): LiveObject {
  const reference = {
    apiVersion: "example.com/v2",
    kind: "Widget",
    name: owner,
    uid: "u",
    controller: true,
    ...fields,
  };
  return widget(resourceVersion, { ownerReferences: [reference] });
}

function setUp(options: Pick<SourceOptions<LiveObject>, "toKeys" | "when" | "isEcho" | "gatherMs">) {
  const store = new Store<LiveObject>({
    indexes: {},
    onListenerError: (error) => {
      throw error;
    },
  });
  const source = createSource({
    informer: { type: widgetType, hasSynced: true, ensureSynced: () => undefined, store },
    ...options,
  });
  const keys: [string, number | undefined][] = [];
  const delays: (number | undefined)[] = [];
  const connect = () =>
    source.connect((key, { priority, afterMs }) => {
      keys.push([key, priority]);
      delays.push(afterMs);
    });
  return { store, keys, delays, connect };
}

describe("which keys a change concerns", () => {
  test("OPR-8 what changes comes before what is new, objects of a first list come last", () => {
    const { store, keys, connect } = setUp({ toKeys: selfKey });
    connect();
    store.replace([widget("1")], { initial: true });
    store.upsert(widget("2"));
    store.remove(widget("3"));
    store.upsert(widget("4"));
    expect(keys).toEqual([
      ["ns/a", -100],
      ["ns/a", 0],
      ["ns/a", 0],
      ["ns/a", -10],
    ]);
  });

  test("a change of owner concerns both owners", () => {
    const { store, keys, connect } = setUp({ toKeys: ownerKey(widgetType) });
    connect();
    store.upsert(owned("1", "first"));
    store.upsert(owned("2", "second"));
    expect(keys.map(([key]) => key)).toEqual(["ns/first", "ns/first", "ns/second"]);
  });

  test.each([
    ["of another kind", { kind: "Gadget" }],
    ["of another group", { apiVersion: "other.com/v1" }],
    ["who is not the controller", { controller: false }],
  ])("an owner %s is not concerned", (_title, fields) => {
    expect(ownerKey(widgetType)(owned("1", "o", fields))).toEqual([]);
  });

  test("fault 14: a source whose predicate or mapping throws is reported, and costs the others nothing", () => {
    const reported: unknown[] = [];
    const store = new Store<LiveObject>({ indexes: {}, onListenerError: (error) => reported.push(error) });
    const informer = { type: widgetType, hasSynced: true, ensureSynced: () => undefined, store };
    const fail = (why: string) => () => {
      throw new Error(why);
    };
    const keys: string[] = [];
    const collect = (key: string) => void keys.push(key);
    createSource({ informer, toKeys: selfKey, when: fail("predicate") }).connect(collect);
    createSource({ informer, toKeys: fail("mapping") }).connect(collect);
    createSource({ informer, toKeys: selfKey }).connect(collect);
    store.upsert(widget("1"));
    store.upsert(widget("2"));
    // The predicate is not asked about additions.
    expect(keys).toEqual(["ns/a", "ns/a", "ns/a"]);
    expect(reported.map(String)).toEqual(["Error: mapping", "Error: predicate", "Error: mapping"]);
  });

  test("an echo concerns nobody, except in a first list, and its deletion does", () => {
    const { store, keys, connect } = setUp({ toKeys: selfKey, isEcho: () => true });
    connect();
    store.replace([widget("1")], { initial: true });
    store.upsert(widget("2"));
    expect(keys).toEqual([["ns/a", -100]]);
    store.remove(widget("3"));
    expect(keys).toHaveLength(2);
  });

  test("what may be an echo waits until that is known", async () => {
    const verdict = Promise.withResolvers<boolean>();
    const { store, keys, connect } = setUp({ toKeys: selfKey, isEcho: () => verdict.promise });
    connect();
    store.upsert(widget("1"));
    expect(keys).toEqual([]);
    verdict.resolve(false);
    await verdict.promise;
    expect(keys).toEqual([["ns/a", -10]]);
  });

  test("changes are gathered for a while where asked for, a first list is not", () => {
    const { store, delays, connect } = setUp({ toKeys: selfKey, gatherMs: 500 });
    connect();
    store.replace([widget("1")], { initial: true });
    store.upsert(widget("2"));
    expect(delays).toEqual([undefined, 500]);
  });

  test("a disconnected source is silent", () => {
    const { store, keys, connect } = setUp({ toKeys: selfKey });
    connect()();
    store.upsert(widget("1"));
    expect(keys).toEqual([]);
  });
});

describe("a modification that matters", () => {
  test.each<[string, Partial<LiveMeta>, boolean]>([
    ["status only", {}, false],
    ["a new generation", { generation: 2 }, true],
    ["labels", { labels: { a: "b" } }, true],
    ["annotations", { annotations: { a: "b" } }, true],
    ["a deletion that has begun", { deletionTimestamp: "2026-01-01T00:00:00Z" }, true],
    ["a finalizer", { finalizers: ["example.com/x"] }, true],
  ])("%s: %s", (_title, change, matters) => {
    const { store, keys, connect } = setUp({ toKeys: selfKey, when: desiredStateChanged });
    connect();
    store.upsert(widget("1", { generation: 1 }));
    store.upsert(widget("2", { generation: 1, ...change }));
    expect(keys).toHaveLength(matters ? 2 : 1);
  });

  test("kinds without generation: every one", () => {
    expect(desiredStateChanged(widget("1"), widget("2"))).toBe(true);
  });
});

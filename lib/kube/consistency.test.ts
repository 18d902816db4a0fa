import { describe, expect, test } from "vitest";
import { createWriteTracker } from "./consistency.ts";
import type { LiveObject } from "./object.ts";
import type { ResourceType } from "./resource.ts";
import { Store } from "./store.ts";
import { controllerReference } from "./testing/controller-reference.ts";
import { silentLog } from "./testing/silent-log.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

const ownerType: ResourceType = { group: "example.com", version: "v1", plural: "owners", kind: "Owner" };
const childType: ResourceType = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
const otherType: ResourceType = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" };

function owner(resourceVersion = "1"): LiveObject {
  const metadata = { name: "o", namespace: "ns", uid: "owner-uid", resourceVersion };
  return { apiVersion: "example.com/v1", kind: "Owner", metadata };
}

function child(resourceVersion: string, more: { name?: string; uid?: string } = {}): LiveObject {
  const { name = "c", uid = "child-uid" } = more;
  const ownerReferences = [controllerReference(owner())];
  const metadata = { name, namespace: "ns", uid, resourceVersion, ownerReferences };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function setUp(limit = 10_000) {
  const clock = new ManualClock();
  const newStore = () => new Store<LiveObject>({ indexes: {}, onListenerError: (error) => expect.fail(String(error)) });
  const [owners, children] = [newStore(), newStore()];
  const informers = [
    { type: ownerType, store: owners },
    { type: childType, store: children },
  ];
  const tracker = createWriteTracker({ informers, clock, log: silentLog(), limit });
  const ensureSeen = (key = "ns/o") => tracker.of(ownerType).ensureSeen(key);
  /** Whether the owner may be reconciled now. */
  const isSeen = () => ensureSeen() === undefined;
  return { clock, owners, children, tracker, ensureSeen, isSeen };
}

describe("I7 a key is not reconciled on a cache older than its own last write", () => {
  test("a child that was created is waited for until the cache has it", async () => {
    const { children, tracker, ensureSeen, isSeen } = setUp();
    tracker.wrote(childType, child("10"));
    let resolved = false;
    void ensureSeen()?.then(() => (resolved = true));
    await settle();
    expect(resolved).toBe(false);
    children.upsert(child("10"));
    await settle();
    expect(resolved).toBe(true);
    expect(isSeen()).toBe(true);
    expect(tracker.size).toBe(0);
  });

  test("an older version of the child is not enough, a newer one is", () => {
    const { children, tracker, isSeen } = setUp();
    children.upsert(child("9"));
    tracker.wrote(childType, child("20"));
    children.upsert(child("19"));
    expect(isSeen()).toBe(false);
    children.upsert(child("21"));
    expect(isSeen()).toBe(true);
  });

  test("a write that the watch told of before its answer came is seen already", () => {
    const { children, tracker, isSeen } = setUp();
    children.upsert(child("10"));
    tracker.wrote(childType, child("10"));
    expect(isSeen()).toBe(true);
  });

  test("the object's own status write is waited for", () => {
    const { owners, tracker, isSeen } = setUp();
    owners.upsert(owner("1"));
    tracker.wrote(ownerType, owner("5"));
    expect(isSeen()).toBe(false);
    owners.upsert(owner("5"));
    expect(isSeen()).toBe(true);
  });

  test("other keys are not held up", () => {
    const { tracker, ensureSeen } = setUp();
    tracker.wrote(childType, child("10"));
    expect(ensureSeen("ns/another")).toBeUndefined();
    expect(tracker.of(otherType).ensureSeen("ns/o")).toBeUndefined();
  });

  test("kinds without a cache are not waited for", () => {
    const { tracker, isSeen } = setUp();
    tracker.wrote(otherType, { ...child("10"), apiVersion: "apps/v1", kind: "Deployment" });
    expect(isSeen()).toBe(true);
  });

  test("the answer to an earlier write does not hide a later one", () => {
    const { children, tracker, isSeen } = setUp();
    tracker.wrote(childType, child("20"));
    tracker.wrote(childType, child("10"));
    children.upsert(child("10"));
    expect(isSeen()).toBe(false);
  });
});

describe("I7 a later write of an object takes the place of an earlier one", () => {
  test("who waits for the earlier one is let go, and waits for the later one only", async () => {
    const { children, tracker, ensureSeen, isSeen } = setUp();
    tracker.wrote(childType, child("10"));
    const earlier = ensureSeen();
    tracker.wrote(childType, child("20"));
    await earlier;
    expect(isSeen()).toBe(false);
    children.upsert(child("20"));
    expect(isSeen()).toBe(true);
  });
});

describe("I7 deletions and gaps end the wait", () => {
  test("a child that is deleted after the write", () => {
    const { children, tracker, isSeen } = setUp();
    children.upsert(child("5"));
    tracker.wrote(childType, child("10"));
    children.remove(child("11"));
    expect(isSeen()).toBe(true);
  });

  test("not the deletion of an earlier child of the same name", () => {
    const { children, tracker, isSeen } = setUp();
    children.upsert(child("5", { uid: "earlier" }));
    tracker.wrote(childType, child("10"));
    children.remove(child("6", { uid: "earlier" }));
    expect(isSeen()).toBe(false);
  });

  test.each([
    [4_999, false],
    [5_000, true],
  ])("after %i ms the wait is over: %s; the cache then counts as behind", async (waitedMs, isOver) => {
    const { clock, children, tracker, ensureSeen, isSeen } = setUp();
    tracker.wrote(childType, child("10"));
    let resolved = false;
    void ensureSeen()?.then(() => (resolved = true));
    await clock.advance(waitedMs);
    expect(resolved).toBe(isOver);
    expect(isSeen()).toBe(isOver);
    expect(tracker.isBehind(childType, "ns/c")).toBe(true);
    children.upsert(child("10"));
    expect(tracker.isBehind(childType, "ns/c")).toBe(false);
  });

  test("a child that the server says is gone", async () => {
    const { clock, tracker, ensureSeen, isSeen } = setUp();
    tracker.wrote(childType, child("10"));
    const seen = ensureSeen();
    tracker.forget(childType, "ns/c");
    await seen;
    expect(isSeen()).toBe(true);
    expect(clock.pending).toHaveLength(0);
  });
});

describe("I13 memory is bounded", () => {
  test("10 writes are remembered, of 11 the oldest is not", () => {
    const { tracker } = setUp(10);
    for (let i = 0; i < 10; i += 1) tracker.wrote(childType, child("10", { name: `c${i}`, uid: `u${i}` }));
    expect(tracker.size).toBe(10);
    expect(tracker.isBehind(childType, "ns/c0")).toBe(true);
    tracker.wrote(childType, child("10", { name: "c10", uid: "u10" }));
    expect(tracker.size).toBe(10);
    expect(tracker.isBehind(childType, "ns/c0")).toBe(false);
  });

  test("two informers of one kind are refused", () => {
    const store = new Store<LiveObject>({ indexes: {}, onListenerError: () => undefined });
    const kind = { type: childType, store };
    expect(() => createWriteTracker({ informers: [kind, kind], log: silentLog() })).toThrow(
      /two informers of configmaps/,
    );
  });
});

describe("an echo", () => {
  test.each([
    ["just what a write has made", child("10"), true],
    ["a later version", child("11"), false],
    ["an earlier version", child("9"), false],
    ["another object of that name", child("10", { uid: "another" }), false],
  ])("%s: %s", (_title, seen, isEcho) => {
    const { children, tracker } = setUp();
    tracker.wrote(childType, child("10"));
    children.upsert(seen);
    expect(tracker.isEcho(seen)).toBe(isEcho);
  });

  test("what comes before the answer to its write is judged by the answer", async () => {
    const { children, tracker } = setUp();
    const answer = Promise.withResolvers<LiveObject>();
    const written = tracker.follow(childType, "ns/c", () => answer.promise);
    const [echo, foreign] = [child("10"), child("11")];
    children.upsert(echo);
    const isEcho = tracker.isEcho(echo);
    children.upsert(foreign);
    const isForeign = tracker.isEcho(foreign);
    answer.resolve(child("10"));
    await written;
    expect([await isEcho, await isForeign]).toEqual([true, false]);
  });

  test("a write that fails has none, and those of other objects are not waited for", async () => {
    const { tracker } = setUp();
    const answer = Promise.withResolvers<LiveObject>();
    const written = tracker.follow(childType, "ns/c", () => answer.promise);
    const isEcho = tracker.isEcho(child("10"));
    expect(tracker.isEcho(child("10", { name: "other" }))).toBe(false);
    answer.reject(new Error("no answer"));
    await expect(written).rejects.toThrow("no answer");
    expect(await isEcho).toBe(false);
    expect(tracker.isEcho(child("10"))).toBe(false);
  });
});

// How long histories are kept, and which go first. Sizes are those of the files.
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore, user } from "../testing/histories.ts";
import { renderFile, renderName } from "./history-files.ts";
import { createRetention } from "./retention.ts";
import { createSessions } from "./sessions.ts";

const keep = keepUntilEnd();
const pathOf = (folder: string, key: string) => join(folder, renderFile(renderName(key)));
const filesIn = async (folder: string) => (await readdir(folder)).filter((file) => file.endsWith(".jsonl")).length;

/** Keys of one length, so that their histories have one size. */
async function createFull(count: number, spareBytes: number) {
  const { path: folder } = await keep(createTestFolder());
  const first = createTestStore(folder);
  await first.append("key-0", user("x"));
  await first.close();
  const bytes = (await stat(pathOf(folder, "key-0"))).size;
  const store = await keep(Promise.resolve(createTestStore(folder, { maxBytes: count * bytes + spareBytes })));
  for (let index = 1; index < count; index += 1) await store.append(`key-${index}`, user("x"));
  const known = () => Promise.all([0, 1, 2, 3].map((index) => store.has(`key-${index}`)));
  return { folder, store, known, bytes };
}

describe("AGT-5 the room for all histories", () => {
  test("at maxBytes all are kept; one more and the least recently written makes room", async () => {
    const { folder, store, known } = await createFull(3, 0);
    expect(await known()).toEqual([true, true, true, false]);
    await store.append("key-3", user("x"));
    expect(await known()).toEqual([false, true, true, true]);
    await vi.waitFor(async () => expect(await filesIn(folder)).toBe(3));
  });

  test("one byte too much is too much, and writing keeps a history from being the first to go", async () => {
    const lineBytes = JSON.stringify(user("x")).length + 1;
    const { store, known } = await createFull(3, lineBytes - 1);
    await store.append("key-0", user("x"));
    expect(await known()).toEqual([true, false, true, false]);
    const exact = await createFull(3, lineBytes);
    await exact.store.append("key-0", user("x"));
    expect(await exact.known()).toEqual([true, true, true, false]);
  });

  test("one history alone may have maxBytes and not a byte more: the call is told the field", async () => {
    const { store, bytes } = await createFull(1, 0);
    await expect(store.append("key-0", user("x"))).rejects.toThrow("history.maxBytes");
    expect(await store.load("key-0")).toEqual([user("x")]);
    expect(bytes).toBeGreaterThan(0);
  });

  test("histories in use stay, even when there is no room for others", async () => {
    const { store, known } = await createFull(2, 0);
    const letGo = await store.hold("key-0");
    await store.append("key-2", user("x"));
    expect(await known()).toEqual([true, false, true, false]);
    const letOtherGo = await store.hold("key-2");
    await expect(store.append("key-3", user("x"))).rejects.toThrow("this conversation does not fit");
    letGo();
    letGo();
    await store.append("key-3", user("x"));
    expect(await known()).toEqual([false, false, true, true]);
    letOtherGo();
  });

  test("a call holds its history until it is done", async () => {
    const { store, known } = await createFull(2, 0);
    const sessions = createSessions({ scope: "connection", maxQueued: 1, store: { ...store, has: async () => true } });
    const open = await sessions.open({ key: "key-0", kept: true, owner: "" }, new AbortController().signal);
    await store.append("key-2", user("x"));
    expect(await known()).toEqual([true, false, true, false]);
    await open.close();
    await store.append("key-3", user("x"));
    expect(await known()).toEqual([false, false, true, true]);
  });

  test("when it has become smaller, what is too much goes at the start, by the times of the files", async () => {
    const { folder, store, bytes } = await createFull(3, 0);
    await store.close();
    for (const [index, seconds] of [3_000, 1_000, 2_000].entries()) {
      await utimes(pathOf(folder, `key-${index}`), seconds, seconds);
    }
    const clock = new ManualClock(4_000_000);
    const smaller = await keep(Promise.resolve(createTestStore(folder, { maxBytes: 2 * bytes, clock })));
    expect(await Promise.all([0, 1, 2].map((index) => smaller.has(`key-${index}`)))).toEqual([true, false, true]);
    await vi.waitFor(async () => expect(await filesIn(folder)).toBe(2));
  });
});

describe("AGT-5 whose conversations make room", () => {
  const hourMs = 3_600_000;
  const limits = { maxBytes: 100, idleTtlMs: 100 * hourMs, protectedMs: hourMs };
  const use = (owner: string, textBytes: number, usedAtMs: number, imageBytes = 0) => ({
    owner,
    textBytes,
    imageBytes,
    usedAtMs,
  });
  const victims = (found: Record<string, ReturnType<typeof use>>, bytes: number, owner: string, nowMs: number) =>
    createRetention(new Map(Object.entries(found)), limits).listVictims(bytes, { owner, nowMs });

  test("the writer's own go first, the oldest of them first, though others' are older", () => {
    const found = { a: use("alice", 40, 0), b1: use("bob", 20, 1), b2: use("bob", 20, 2), b3: use("bob", 20, 3) };
    expect(victims(found, 20, "bob", 10 * hourMs)).toEqual(["b1"]);
    expect(victims(found, 21, "bob", 10 * hourMs)).toEqual(["b1", "b2"]);
    expect(victims(found, 0, "bob", 10 * hourMs)).toEqual([]);
  });

  test("those of others go once they were unused for an hour, and not before", () => {
    const found = { a: use("alice", 50, 0), c: use("carol", 50, 1) };
    expect(victims(found, 10, "bob", hourMs - 1)).toBeUndefined();
    expect(victims(found, 10, "bob", hourMs)).toEqual(["a"]);
    expect(victims(found, 60, "bob", hourMs)).toBeUndefined();
    expect(victims(found, 60, "bob", hourMs + 1)).toEqual(["a", "c"]);
  });

  test("who has more than half of the room gives way first, down to half, however recently it was used", () => {
    const found = { b: use("bob", 30, 0), a1: use("alice", 19, 1), a2: use("alice", 30, 2), a3: use("alice", 21, 3) };
    expect(victims(found, 10, "bob", 3)).toEqual(["a1"]);
    expect(victims(found, 20, "bob", 3)).toEqual(["a1", "a2"]);
    expect(victims(found, 50, "bob", 3)).toEqual(["a1", "a2", "b"].toSorted());
    const half = { a: use("alice", 50, 0), b: use("bob", 50, 1) };
    expect(victims(half, 10, "carol", 3)).toBeUndefined();
  });

  test("images count like text", () => {
    expect(victims({ a: use("", 10, 0, 85) }, 5, "", 0)).toEqual([]);
    expect(victims({ a: use("", 10, 0, 85) }, 6, "", 0)).toEqual(["a"]);
  });

  test("an owner is known after a restart, and another owner's flood takes nothing that is in use", async () => {
    const { path: folder } = await keep(createTestFolder());
    const first = createTestStore(folder);
    const long = user("x".repeat(1_000));
    await first.append("of-alice", long, "alice");
    await first.append("of-bob", long, "bob");
    await first.close();
    const dropped: string[] = [];
    const changes = { maxBytes: 4_000, onDropped: (reason: string) => void dropped.push(reason) };
    const store = await keep(Promise.resolve(createTestStore(folder, changes)));
    for (let index = 0; index < 10; index += 1) await store.append(`flood-${index}`, long, "bob");
    expect(await store.load("of-alice")).toEqual([long]);
    expect([await store.has("of-bob"), await store.has("flood-9")]).toEqual([false, true]);
    expect(dropped.length).toBeGreaterThan(7);
    expect(new Set(dropped)).toEqual(new Set(["room"]));
    expect(await store.load("flood-9")).toEqual([long]);
  });
});

describe("AGT-5 the age of a history", () => {
  test("it goes when it was idle for longer than its time, not at its time, and a message starts the time anew", async () => {
    const { path: folder } = await keep(createTestFolder());
    const clock = new ManualClock();
    const store = await keep(Promise.resolve(createTestStore(folder, { idleTtlMs: 1_000, clock })));
    await store.append("a", user("x"));
    await clock.advance(1_000);
    await store.append("a", user("y"));
    await clock.advance(1_000);
    expect(await store.has("a")).toBe(true);
    await clock.advance(1);
    expect(await store.has("a")).toBe(false);
    expect(await store.load("a")).toEqual([]);
    await vi.waitFor(async () => expect(await filesIn(folder)).toBe(0));
    await store.append("a", user("anew"));
    expect(await store.load("a")).toEqual([user("anew")]);
  });

  test("counts by the wall clock, which other processes read too", async () => {
    const { path: folder } = await keep(createTestFolder());
    const clock = new ManualClock();
    const store = await keep(Promise.resolve(createTestStore(folder, { idleTtlMs: 1_000, clock })));
    await store.append("a", user("x"));
    clock.setWall(1_000);
    expect(await store.has("a")).toBe(true);
    clock.setWall(1);
    expect(await store.has("a")).toBe(false);
  });

  test("of an agent that nobody calls ends too, since its health is looked at", async () => {
    const { path: folder } = await keep(createTestFolder());
    const clock = new ManualClock();
    const store = await keep(Promise.resolve(createTestStore(folder, { idleTtlMs: 1_000, clock })));
    await store.append("a", user("x"));
    await clock.advance(1_001);
    expect(await store.observeProblem()).toBeUndefined();
    await vi.waitFor(async () => expect(await filesIn(folder)).toBe(0));
  });

  test("counts from the last message of an earlier process, and not while a call has the history", async () => {
    const { path: folder } = await keep(createTestFolder());
    const first = createTestStore(folder);
    for (const key of ["old", "young", "used"]) await first.append(key, user("x"));
    await first.close();
    const clock = new ManualClock(10_000_000);
    await utimes(pathOf(folder, "old"), 8_999.999, 8_999.999);
    await utimes(pathOf(folder, "young"), 9_000, 9_000);
    await utimes(pathOf(folder, "used"), 9_000, 9_000);
    const store = await keep(Promise.resolve(createTestStore(folder, { idleTtlMs: 1_000_000, clock })));
    expect([await store.has("old"), await store.has("young")]).toEqual([false, true]);
    const letGo = await store.hold("used");
    await clock.advance(5_000);
    expect([await store.has("young"), await store.has("used")]).toEqual([false, true]);
    letGo();
    expect(await store.has("used")).toBe(false);
  });
});

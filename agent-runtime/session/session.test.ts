import { describe, expect, test } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { createKeyedLock } from "./lock.ts";
import { createSessions } from "./sessions.ts";
import { renderForModel, renderInterrupted } from "./transcript.ts";

const keep = keepUntilEnd();
const never = new AbortController().signal;

describe("AGT-5 a history's lock", () => {
  test("serves callers in order, one at a time, and keys independently", async () => {
    const lock = createKeyedLock();
    const order: string[] = [];
    const enter = async (key: string, name: string) => {
      const release = await lock.acquire(key);
      order.push(name);
      return release;
    };
    const first = await enter("a", "a1");
    const second = enter("a", "a2");
    const third = enter("a", "a3");
    await enter("b", "b1");
    expect(order).toEqual(["a1", "b1"]);
    first();
    first();
    const releaseSecond = await second;
    expect(order).toEqual(["a1", "b1", "a2"]);
    releaseSecond();
    (await third)();
    expect(order).toEqual(["a1", "b1", "a2", "a3"]);
  });

  test("maxQueued calls may wait, one more is refused with the field", async () => {
    const lock = createKeyedLock();
    const release = await lock.acquire("a", { maxQueued: 2 });
    const waiting = [lock.acquire("a", { maxQueued: 2 }), lock.acquire("a", { maxQueued: 2 })];
    await expect(lock.acquire("a", { maxQueued: 2 })).rejects.toThrow("2 calls already wait for this conversation");
    release();
    (await waiting[0])?.();
    (await waiting[1])?.();
    (await lock.acquire("a", { maxQueued: 2 }))();
  });

  test("a caller that gives up leaves its place", async () => {
    const lock = createKeyedLock();
    const release = await lock.acquire("a");
    const patience = new AbortController();
    const waiting = lock.acquire("a", { signal: patience.signal });
    patience.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    const next = lock.acquire("a");
    release();
    (await next)();
  });
});

describe("AGT-5 a history that was left in the middle", () => {
  const startSessions = async () => {
    const { path } = await keep(createTestFolder());
    const store = await keep(Promise.resolve(createTestStore(path)));
    return { store, sessions: createSessions({ scope: "shared", maxQueued: 1, store }) };
  };
  const interrupted = { role: "tool", results: [{ callId: "1", isError: true }] };

  test("is closed in the store when its call ends", async () => {
    const { store, sessions } = await startSessions();
    const history = await sessions.open(await sessions.resolve({}), never);
    await history.append(user("a"));
    await history.append(calls("1"));
    await history.close();
    await history.close();
    expect(await store.load("shared")).toMatchObject([user("a"), calls("1"), interrupted]);
  });

  test("by a process that died is closed when it is opened", async () => {
    const { store, sessions } = await startSessions();
    await store.append("shared", calls("1"));
    const history = await sessions.open(await sessions.resolve({}), never);
    expect(history.entries).toMatchObject([calls("1"), interrupted]);
    await history.close();
  });
});

describe("AGT-5 a transcript", () => {
  test("is shown with results in the order of the calls and user messages joined", () => {
    const shown = renderForModel([user("a"), user("b"), calls("1", "2"), result("2"), result("1"), user("c")]);
    expect(shown).toMatchObject([
      { role: "user", content: [{ text: "a" }, { text: "b" }] },
      { role: "assistant" },
      { role: "tool", results: [{ callId: "1" }, { callId: "2" }] },
      { role: "user", content: [{ text: "c" }] },
    ]);
  });

  test("cut off amid its tools is closed with interrupted results for the open ones only", () => {
    expect(renderInterrupted([user("a"), calls("1", "2"), result("1")])).toMatchObject({
      results: [{ callId: "2", isError: true, text: expect.stringContaining("interrupted") }],
    });
    expect(renderInterrupted([user("a"), calls("1"), result("1")])).toBeUndefined();
    expect(renderInterrupted([])).toBeUndefined();
  });
});

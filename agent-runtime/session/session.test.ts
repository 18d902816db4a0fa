import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../model/types.ts";
import { createFakeClock } from "../model/testing/fake-clock.ts";
import { createKeyedLock } from "./lock.ts";
import { createSessions } from "./sessions.ts";
import { createMemoryStore } from "./store.ts";
import { renderForModel, renderInterrupted, sizeOfMessage } from "./transcript.ts";

const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const calls = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  text: "",
  toolCalls: ids.map((id) => ({ id, name: `tool-${id}`, arguments: {} })),
});
const result = (callId: string): ModelMessage => ({
  role: "tool",
  results: [{ callId, name: `tool-${callId}`, text: callId, images: [], isError: false }],
});
const never = new AbortController().signal;

describe("AGT-5 a history's lock", () => {
  test("serves callers in order, one at a time, and keys independently", async () => {
    const lock = createKeyedLock({ maxQueued: 2 });
    const order: string[] = [];
    const enter = async (key: string, name: string) => {
      const release = await lock.acquire(key, never);
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
    const lock = createKeyedLock({ maxQueued: 2 });
    const release = await lock.acquire("a", never);
    const waiting = [lock.acquire("a", never), lock.acquire("a", never)];
    await expect(lock.acquire("a", never)).rejects.toThrow("2 calls already wait for this conversation");
    release();
    (await waiting[0])?.();
    (await waiting[1])?.();
    (await lock.acquire("a", never))();
  });

  test("a caller that gives up leaves its place", async () => {
    const lock = createKeyedLock({ maxQueued: 1 });
    const release = await lock.acquire("a", never);
    const patience = new AbortController();
    const waiting = lock.acquire("a", patience.signal);
    patience.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    const next = lock.acquire("a", never);
    release();
    (await next)();
  });
});

describe("AGT-5 the store in memory is bounded", () => {
  const storeOf = (maxBytes: number) => {
    const clock = createFakeClock();
    return { clock, store: createMemoryStore({ maxBytes, idleTtlMs: 1_000, clock }) };
  };

  test("a history goes when it was idle for longer than its time", async () => {
    const { clock, store } = storeOf(1e6);
    await store.append("a", user("hello"));
    clock.advance(1_000);
    expect(await store.has("a")).toBe(true);
    clock.advance(1_001);
    expect(await store.has("a")).toBe(false);
    expect(await store.load("a")).toEqual([]);
  });

  test("beyond maxBytes the least recently used history makes room", async () => {
    const bytes = sizeOfMessage(user("x")) + 512;
    const { store } = storeOf(2 * bytes);
    await store.append("a", user("x"));
    await store.append("b", user("x"));
    expect(await store.has("a")).toBe(true);
    await store.append("c", user("x"));
    expect(await Promise.all(["a", "b", "c"].map((key) => store.has(key)))).toEqual([true, false, true]);
  });

  test("a history of exactly maxBytes is kept, one byte more is refused with the field", async () => {
    const bytes = sizeOfMessage(user("x")) + 512;
    await expect(storeOf(bytes).store.append("a", user("x"))).resolves.toBeUndefined();
    await expect(storeOf(bytes - 1).store.append("a", user("x"))).rejects.toThrow("history.maxBytes");
  });
});

describe("AGT-5 a history that was left in the middle", () => {
  const startSessions = () => {
    const store = createMemoryStore({ maxBytes: 1e6, idleTtlMs: 1_000, clock: createFakeClock() });
    return { store, sessions: createSessions({ scope: "shared", maxQueued: 1, store }) };
  };
  const interrupted = { role: "tool", results: [{ callId: "1", isError: true }] };

  test("is closed in the store when its call ends", async () => {
    const { store, sessions } = startSessions();
    const history = await sessions.open(await sessions.resolve({}), never);
    await history.append(user("a"));
    await history.append(calls("1"));
    await history.close();
    await history.close();
    expect(await store.load("shared")).toMatchObject([user("a"), calls("1"), interrupted]);
  });

  test("by a process that died is closed when it is opened", async () => {
    const { store, sessions } = startSessions();
    await store.append("shared", calls("1"));
    const history = await sessions.open(await sessions.resolve({}), never);
    expect(history.messages).toMatchObject([calls("1"), interrupted]);
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

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { createKeyedLock } from "./lock.ts";
import { createSessions } from "./sessions.ts";
import { renderHeader, renderLine } from "./history-text.ts";
import { renderFile, renderName } from "./history-files.ts";
import {
  findSummary,
  listMessages,
  renderForModel,
  renderInterrupted,
  withdraw,
  type HistoryEntry,
} from "./transcript.ts";

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
    const history = await sessions.open(await sessions.resolve({ caller: "anyone" }), never);
    await history.append(user("a"));
    await history.append(calls("1"));
    await history.close();
    await history.close();
    expect(await store.load("shared")).toMatchObject([user("a"), calls("1"), interrupted]);
  });

  test("by a process that died is closed when it is opened", async () => {
    const { store, sessions } = await startSessions();
    await store.append("shared", calls("1"));
    const history = await sessions.open(await sessions.resolve({ caller: "anyone" }), never);
    expect(history.entries).toMatchObject([calls("1"), interrupted]);
    await history.close();
  });
});

describe("AGT-5 whose room a history takes", () => {
  test("its caller's, else its connection's, and where nobody is told apart everybody's", async () => {
    const { path } = await keep(createTestFolder());
    const store = await keep(Promise.resolve(createTestStore(path)));
    const sessions = createSessions({ scope: "connection", maxQueued: 1, store });
    const ownerOf = async (claim: Parameters<typeof sessions.resolve>[0]) => (await sessions.resolve(claim)).owner;
    const alice = { subject: "alice" };
    const owners = await Promise.all([
      ownerOf({ caller: alice }),
      ownerOf({ caller: { subject: "bob" } }),
      ownerOf({ caller: "anyone", connectionId: "alice" }),
      ownerOf({ caller: "anyone", connectionId: "bob" }),
      ownerOf({ caller: "anyone" }),
    ]);
    expect(new Set(owners).size).toBe(owners.length);
    expect(await ownerOf({ caller: alice, connectionId: "1" })).toBe(owners[0]);
    expect(owners.at(-1)).toBe("");
  });
});

describe("AGT-4 AGT-14 messages that are taken back", () => {
  test("take no summary with them that stands for others, and leave none that stands for them", () => {
    const summary = (covers: number): HistoryEntry => ({ role: "summary", covers, text: `${covers}` });
    const entries = [user("a"), summary(9), user("b"), user("c"), summary(1), summary(2), user("d"), summary(3)];
    withdraw(entries, 2);
    expect(listMessages(entries)).toEqual([user("a"), user("b")]);
    expect(findSummary(entries)).toEqual(summary(1));
    withdraw(entries, 5);
    expect(renderForModel([...entries, user("e"), user("f"), user("g"), user("h")])).toMatchObject([
      { content: [{ text: "e" }, { text: "f" }, { text: "g" }, { text: "h" }] },
    ]);
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

describe("AGT-4 a summary in a history", () => {
  const said: Exclude<HistoryEntry, { role: "summary" }>[] = [
    user("a"),
    calls("1", "2"),
    result("1"),
    result("2"),
    calls("3"),
    result("3"),
    user("b"),
  ];
  const summaryOf = (covers: number, text = "short"): HistoryEntry => ({ role: "summary", covers, text });
  const textsOf = (entries: readonly HistoryEntry[]) =>
    renderForModel(entries).map((message) =>
      message.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "")) : message.role,
    );

  test("stands for what it covers, and the last one counts", () => {
    const entries = [...said, summaryOf(4, "first"), user("c"), summaryOf(6, "second"), user("d")];
    expect(textsOf(entries)).toEqual([[expect.stringMatching(/^Summary .*\n\nsecond$/), "b", "c", "d"]]);
    expect(listMessages(entries)).toEqual([...said, user("c"), user("d")]);
  });

  test("that ends within a turn keeps the turn's question", () => {
    expect(textsOf([...said, summaryOf(4)])).toEqual([
      [expect.stringContaining("short"), "a"],
      "assistant",
      "tool",
      ["b"],
    ]);
  });

  test.each([
    ["parts a call from its result", 2],
    ["parts one result from the other", 3],
    ["covers everything", 7],
    ["covers more than there is", 8],
    ["covers nothing", 0],
  ])("that %s is as if it were not there", (_what, covers) => {
    expect(renderForModel([...said, summaryOf(covers)])).toEqual(renderForModel(said));
    expect(findSummary([...said, summaryOf(4), summaryOf(covers)])).toEqual(summaryOf(4));
  });

  test.each([
    '{"role":"summary"}',
    '{"role":"summary","covers":"4","text":"short"}',
    '{"role":"summary","covers":4.5,"text":"short"}',
    '{"role":"summary","covers":4,"text":""}',
    '{"role":"summary","covers":-1,"text":"short"}',
    '{"role":"summary","until":"yesterday","blocks":[{}]}',
  ])("that cannot be read leaves the whole: %s", async (line) => {
    const { path } = await keep(createTestFolder());
    const lines = [renderHeader("key", 0), ...said.map(renderLine), `${line}\n`, renderLine(user("c"))];
    await writeFile(join(path, renderFile(renderName("key"))), lines.join(""));
    const store = await keep(Promise.resolve(createTestStore(path)));
    expect(await store.load("key")).toEqual([...said, user("c")]);
    expect(store.lines).toEqual([]);
  });
});

describe("AGT-5 an answer without a word", () => {
  test("is not shown, since providers refuse it, and the users around it are joined", () => {
    const empty: HistoryEntry = { role: "assistant", text: " \n", toolCalls: [] };
    expect(renderForModel([user("a"), empty, user("b")])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });
});

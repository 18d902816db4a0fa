// MGM-2 the list of a caller's conversations over a store of files: whose they are, and what is read of them.
import fc from "fast-check";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { maxConversations } from "../../crds/conversations.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import { mintOwnedId } from "../../lib/mcp/owned-id.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { maxCountedMessages } from "./history-summary.ts";
import { createSessions } from "./sessions.ts";
import { withdraw, type HistoryEntry, type WithdrawnEntry } from "./transcript.ts";

const keep = keepUntilEnd();
const ann = { subject: "gateway ann" };
const bob = { subject: "gateway bob" };
const { signal } = new AbortController();

async function open(scope: RunConfig["scope"] = "connection", at?: string) {
  const path = at ?? (await keep(createTestFolder())).path;
  const store = await keep(Promise.resolve(createTestStore(path)));
  const sessions = createSessions({ scope, maxQueued: 1, store });
  const say = async (text: string, claim: { sessionId?: string; caller?: typeof ann; connectionId?: string }) => {
    const ref = await sessions.resolve({ sessionId: "new", caller: ann, ...claim });
    const history = await sessions.open(ref, signal);
    await history.append(user(text));
    await history.append({ role: "assistant", text: "yes", toolCalls: [] });
    await history.close();
    return ref.sessionId ?? "";
  };
  return { path, store, sessions, say };
}

describe("MGM-2 the conversations of a caller", () => {
  test("are named by their first words, with turns and times, the one used last first, also after a restart", async () => {
    const first = await open();
    const one = await first.say("the first", {});
    const two = await first.say("the second", {});
    await first.say("go on", { sessionId: one });
    const expected = [
      { sessionId: one, title: "the first", turns: 2, answering: false },
      { sessionId: two, title: "the second", turns: 1, answering: false },
    ];
    const listed = await first.sessions.list(ann);
    expect(listed).toMatchObject(expected);
    for (const { begunAt, lastAt } of listed) {
      expect(Date.parse(begunAt)).toBeLessThanOrEqual(Date.parse(lastAt));
      expect(Math.abs(Date.parse(lastAt) - Date.now())).toBeLessThan(60_000);
    }
    await first.store.close();
    const again = await open("connection", first.path);
    expect(await again.sessions.list(ann)).toMatchObject(expected);
    await again.say("once more", { sessionId: two });
    expect(await again.sessions.list(ann)).toMatchObject([
      { sessionId: two, turns: 2 },
      { sessionId: one, turns: 2 },
    ]);
  });

  test("are nobody else's, and a connection's own is not among them", async () => {
    const { sessions, say } = await open();
    await say("a secret", {});
    const own = await say("of bob", { caller: bob });
    const ref = await sessions.resolve({ connectionId: "c1", caller: bob });
    const history = await sessions.open(ref, signal);
    await history.append(user("in a connection"));
    await history.close();
    expect(await sessions.list(bob)).toMatchObject([{ sessionId: own, title: "of bob" }]);
    expect(await sessions.list({ subject: "gateway eve" })).toEqual([]);
  });

  test("are not another's whose file says it is theirs", async () => {
    const { store, sessions } = await open();
    await store.append(`session:${mintOwnedId(bob)}`, user("of bob"), "caller gateway ann");
    await store.append("shared", user("of all"), "caller gateway ann");
    expect(await sessions.list(ann)).toEqual([]);
  });

  test("say which of them is answering now", async () => {
    const { sessions, say } = await open();
    const id = await say("hello", {});
    const history = await sessions.open(await sessions.resolve({ sessionId: id, caller: ann }), signal);
    expect(await sessions.list(ann)).toMatchObject([{ sessionId: id, answering: true }]);
    await history.close();
    expect(await sessions.list(ann)).toMatchObject([{ sessionId: id, answering: false }]);
  });

  test("that were cleared are not listed, and are again when something is said", async () => {
    const { sessions, say } = await open();
    const id = await say("hello", {});
    expect(await sessions.list(ann)).toHaveLength(1);
    await sessions.clear({ sessionId: id, caller: ann }, signal);
    expect(await sessions.list(ann)).toEqual([]);
    await say("anew", { sessionId: id });
    expect(await sessions.list(ann)).toMatchObject([{ sessionId: id, title: "anew", turns: 1 }]);
  });

  test(`are ${maxConversations} at most, the ones used last`, async () => {
    const { sessions, store } = await open();
    const ids = Array.from({ length: maxConversations + 1 }, () => mintOwnedId(ann));
    for (const id of ids) await store.append(`session:${id}`, user(id), `caller ${ann.subject}`);
    const listed = (await sessions.list(ann)).map(({ sessionId }) => sessionId);
    expect(listed).toEqual(ids.slice(1).toReversed());
  });

  test("of the scope shared are one, and of the scope request none", async () => {
    const shared = await open("shared");
    expect(await shared.sessions.list(ann)).toEqual([]);
    await shared.store.append("shared", user("for all"), "");
    const [listed, ...more] = await shared.sessions.list(bob);
    expect(listed).toMatchObject({ title: "for all", turns: 1 });
    expect([listed?.sessionId, more]).toEqual([undefined, []]);
    const { store, sessions } = await open("request");
    await store.append("shared", user("x"), "");
    expect(await sessions.list(ann)).toEqual([]);
  });
});

/** What a step adds. */
function renderStep(step: Step, text: string): (HistoryEntry | WithdrawnEntry)[] {
  if (typeof step === "object") return [{ role: "withdrawn", messages: step.withdrawn, reason: "refused" }];
  const added: Record<typeof step, HistoryEntry[]> = {
    look: [],
    user: [user(text)],
    turn: [user(text), answer],
    tools: [calls(text), result(text)],
    long: [user(`${text} ${"ä".repeat(40_000)}`)],
    summary: [{ role: "summary", covers: 1, text: "short" }],
  };
  return added[step];
}

type Step = "user" | "turn" | "tools" | "summary" | "long" | "look" | { withdrawn: number };

describe("MGM-2 what a list reads of histories", () => {
  test("comes to the same as reading all of them, whenever it is asked for", async () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom<Step>("user", "turn", "tools", "look") },
      { weight: 1, arbitrary: fc.constantFrom<Step>("summary", "long") },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((withdrawn) => ({ withdrawn })) },
    );
    const { store } = await open();
    let takenBack = 0;
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.uuid(), async (steps, key) => {
      const entries: HistoryEntry[] = [];
      const add = async (entry: HistoryEntry | WithdrawnEntry) => {
        await store.append(key, entry, "");
        if (entry.role === "withdrawn") withdraw(entries, entry.messages);
        else entries.push(entry);
      };
      const check = async () => {
        const users = entries.flatMap((entry) => (entry.role === "user" ? entry.content : []));
        const [first] = users;
        const title = first?.type === "text" ? first.text.slice(0, 3) : "";
        const found = (await store.listSummaries({ key })).map((each) => [each.title.slice(0, 3), each.turns]);
        expect(found).toEqual(users.length === 0 ? [] : [[title, users.length]]);
      };
      for (const [index, each] of steps.entries()) {
        if (each === "look") await check();
        if (typeof each === "object" && entries.length > 0) takenBack += 1;
        for (const entry of renderStep(each, `${index}`)) await add(entry);
      }
      await check();
    });
    await fc.assert(property, { numRuns: 60 });
    expect(takenBack).toBeGreaterThan(10);
  }, 60_000);

  test("is at most 8 MiB at a time: a longer one is named at once, and counted by and by", async () => {
    const { store } = await open();
    const key = "long";
    await store.append(key, user("first words"), "");
    for (let index = 0; index < 9; index += 1) await store.append(key, user("x".repeat(2 ** 20)), "");
    expect(await store.listSummaries({ key })).toMatchObject([{ title: "first words", turns: undefined }]);
    expect(await store.listSummaries({ key })).toMatchObject([{ title: "first words", turns: 10 }]);
  });

  test(`is counted up to ${maxCountedMessages} messages`, async () => {
    const { path, store } = await open();
    await store.append("key", user("one"), "");
    const [file = ""] = (await readdir(path)).filter((name) => name.endsWith(".jsonl"));
    const line = `${JSON.stringify(user("more"))}\n`;
    await store.close();
    const look = async () => {
      const again = createTestStore(path);
      const summaries = await again.listSummaries({ key: "key" });
      await again.close();
      return summaries.map(({ turns }) => turns);
    };
    await appendFile(join(path, file), line.repeat(maxCountedMessages - 1));
    expect(await look()).toEqual([maxCountedMessages]);
    await appendFile(join(path, file), line);
    expect(await look()).toEqual([undefined]);
  });

  test("leaves out what is no history, and says so once", async () => {
    const { path, store, sessions, say } = await open();
    const id = await say("broken", {});
    const good = await say("good", {});
    await store.close();
    for (const file of (await readdir(path)).filter((name) => name.endsWith(".jsonl"))) {
      const text = await readFile(join(path, file), "utf8");
      if (text.includes(id)) await writeFile(join(path, file), `{}\n${text}`);
    }
    const again = await open("connection", path);
    for (let times = 0; times < 2; times += 1) {
      expect(await again.sessions.list(ann)).toMatchObject([{ sessionId: good }]);
    }
    expect(again.store.lines.filter(({ message }) => message === "history left out of a list")).toHaveLength(1);
    expect(JSON.stringify(again.store.lines)).not.toContain("broken");
    await expect(sessions.list(ann)).rejects.toThrow("closed");
  });

  test("does not name what is kept no longer", async () => {
    const { path } = await keep(createTestFolder());
    const clock = new ManualClock();
    const store = await keep(Promise.resolve(createTestStore(path, { clock, idleTtlMs: 1_000 })));
    await store.append("key", user("old"), "");
    await clock.advance(1_000);
    expect(await store.listSummaries({ key: "key" })).toHaveLength(1);
    await clock.advance(1);
    expect(await store.listSummaries({ key: "key" })).toEqual([]);
  });
});

const answer = { role: "assistant" as const, text: "done", toolCalls: [] };

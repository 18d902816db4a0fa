// Real processes that are killed with -9, or run out of disk, while they write histories.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import type { ModelMessage } from "../model/types.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore } from "../testing/histories.ts";
import { conversationAnswer, conversationEntries, converse as converseHere } from "../testing/conversation.ts";
import { renderFile, renderName } from "./history-files.ts";
import { findSummary, listMessages, renderForModel, renderInterrupted } from "./transcript.ts";

const keep = keepUntilEnd();
const run = promisify(execFile);
const conversation = fileURLToPath(new URL("../testing/conversation-process.ts", import.meta.url));
const appending = fileURLToPath(new URL("../testing/appending-process.ts", import.meta.url));

async function createScene() {
  const { path } = await keep(createTestFolder());
  const effects = join(path, "effects");
  await writeFile(effects, "");
  const folder = join(path, "histories");
  const load = async () => {
    const store = createTestStore(folder);
    // What a model would be shown; a torn end is cut off by it.
    await store.load("shared");
    const entries = await store.readAll("shared");
    await store.close();
    return { entries, messages: listMessages(entries), lines: store.lines };
  };
  return {
    folder,
    load,
    converse: (text: string, dieAfter: number) =>
      run(process.execPath, [conversation, folder, effects, text, String(dieAfter)]),
    effects: async () => (await readFile(effects, "utf8")).split("\n").filter((line) => line !== ""),
  };
}

const callIds = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : []));
const textsOf = (messages: readonly ModelMessage[]) =>
  messages
    .flatMap((message) => (message.role === "user" ? message.content : []))
    .map((part) => (part.type === "text" ? part.text : ""));
const resultIds = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ callId }) => callId) : []));

type Loaded = Awaited<ReturnType<Awaited<ReturnType<typeof createScene>>["load"]>>;

/** What "two" has after a history that was cut off: that history, its open calls closed, and all of its own, each once. */
function expectContinued(left: Loaded, { entries, messages }: Loaded): void {
  const closing = renderInterrupted(left.entries);
  const rest = messages.slice(left.messages.length);
  expect(messages.slice(0, left.messages.length)).toEqual(left.messages);
  expect(rest.slice(0, -conversationMessages)).toEqual(closing === undefined ? [] : [closing]);
  expect(rest.slice(-conversationMessages)).toMatchObject([
    { role: "user", content: [{ text: "two" }] },
    { toolCalls: [{ id: "two-left" }, { id: "two-right" }] },
    { role: "tool" },
    { role: "tool" },
    { toolCalls: [{ id: "two-last" }] },
    { results: [{ callId: "two-last" }] },
    { text: "Done." },
  ]);
  expect(resultIds(messages).toSorted()).toEqual(callIds(messages).toSorted());
  expect(findSummary(entries)?.text).toBe("Summary before the answer to two.");
  expect(renderForModel(entries)[0]?.role).toBe("user");
}

/** All entries but the summary. */
const conversationMessages = conversationEntries - 1;

describe("AGT-5 kill -9 after any append", () => {
  test("eight entries are the whole conversation, the summary among them", async () => {
    const { converse, load, effects } = await createScene();
    expect((await converse("one", 0)).stdout).toBe(conversationAnswer);
    const { entries } = await load();
    expect(entries.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
      "summary",
      "assistant",
    ]);
    expect(await effects()).toEqual(["one-left", "one-right", "one-last"]);
  });

  test.each(Array.from({ length: conversationEntries }, (_, index) => index + 1))(
    "the %ith: what was kept is there once, open calls become interrupted, no tool runs again, and it goes on",
    { timeout: 60_000 },
    async (dieAfter) => {
      const { converse, load, effects } = await createScene();
      await expect(converse("one", dieAfter)).rejects.toMatchObject({ signal: "SIGKILL" });
      const left = await load();
      expect(left.entries).toHaveLength(dieAfter);
      expect(left.lines).toEqual([]);
      const before = await effects();

      expect((await converse("two", 0)).stdout).toBe(conversationAnswer);
      expectContinued(left, await load());
      // None but the second message's was called after the kill.
      expect(await effects()).toEqual([...before, "two-left", "two-right", "two-last"]);
    },
  );
});

describe("AGT-5 an append that was torn", () => {
  test("anywhere in any line: the lines before it are whole, no tool of theirs runs again, and it goes on", async () => {
    const { folder } = await createScene();
    const bytes = await converseInProcess(folder, "one", []);
    const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
    expect(ends).toHaveLength(1 + conversationEntries);
    for (const [line, end] of ends.entries()) {
      const start = ends[line - 1] ?? 0;
      for (const cut of [start + 1, Math.floor((start + end) / 2), end - 1]) {
        const torn = await createScene();
        await mkdir(torn.folder, { recursive: true });
        await writeFile(fileIn(torn.folder), bytes.subarray(0, cut));
        const left = await torn.load();
        expect(left.entries).toHaveLength(Math.max(0, line - 1));
        const ran: string[] = [];
        await converseInProcess(torn.folder, "two", ran);
        expectContinued(left, await torn.load());
        expect(ran).toEqual(["two-left", "two-right", "two-last"]);
      }
    }
  }, 60_000);
});

const fileIn = (folder: string) => join(folder, renderFile(renderName("shared")));

/** The bytes of the history after it. */
async function converseInProcess(folder: string, text: string, ran: string[]): Promise<Buffer> {
  const store = createTestStore(folder);
  expect(await converseHere(text, { store, onTool: (id) => void ran.push(id) })).toBe(conversationAnswer);
  await store.close();
  return readFile(fileIn(folder));
}

describe("AGT-5 kill -9 at any moment", () => {
  test.each([0, 1, 2])("what was acknowledged is there, and at most one more (%i)", { timeout: 30_000 }, async () => {
    const { folder, load } = await createScene();
    const child = spawn(process.execPath, [appending, folder, "200000"], { stdio: ["ignore", "pipe", "inherit"] });
    let acknowledged = 0;
    createInterface({ input: child.stdout }).on("line", () => (acknowledged += 1));
    await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(10), { timeout: 20_000, interval: 1 });
    child.kill("SIGKILL");
    await once(child, "close");
    const { messages } = await load();
    expect([acknowledged, acknowledged + 1]).toContain(messages.length);
    expect(textsOf(messages).map((text) => text.split(" ")[0])).toEqual(messages.map((_, index) => `${index}`));
  });

  test("its folder is free at once, and was not before", { timeout: 30_000 }, async () => {
    const { folder } = await createScene();
    const child = spawn(process.execPath, [appending, folder, "10"], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const store = await keep(Promise.resolve(createTestStore(folder)));
    expect(await store.observeProblem()).toMatch(/^session store unwritable: .*another process works on it/);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await store.observeProblem()).toBeUndefined();
    expect(await store.load("shared")).not.toEqual([]);
  });
});

describe("HLT-2 a disk that is full in the middle of an append", () => {
  test("rejects it, keeps what was whole, and what fits is appended after it", { timeout: 30_000 }, async () => {
    const { folder, load } = await createScene();
    // No file may grow over 64 blocks of 1 KiB: the append that would is cut off in its middle, as on a full disk.
    const command = 'ulimit -f 64; exec "$0" "$@"';
    const { stdout } = await run("bash", ["-c", command, process.execPath, appending, folder, "30000"]);
    expect(stdout).toMatch(/^0\n1\nsession store unwritable: .*EFBIG/);
    const { messages, lines } = await load();
    expect(textsOf(messages).map(({ length }) => length)).toEqual([30_002, 30_002, "small".length]);
    expect(lines).toEqual([]);
  });
});

// Real processes that are killed with -9, or run out of disk, while they write histories.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import type { ModelMessage } from "../model/types.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore } from "../testing/histories.ts";
import { renderForModel, renderInterrupted } from "./transcript.ts";

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
    const messages = await store.load("shared");
    await store.close();
    return { messages, lines: store.lines };
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

describe("AGT-5 kill -9 after any append", () => {
  const appends = 7;

  test("seven appends are the whole conversation", async () => {
    const { converse, load, effects } = await createScene();
    expect((await converse("one", 0)).stdout).toBe("Both.\n\nOne more.\n\nDone.");
    expect((await load()).messages).toHaveLength(appends);
    expect(await effects()).toEqual(["one-left", "one-right", "one-last"]);
  });

  test.each(Array.from({ length: appends }, (_, index) => index + 1))(
    "the %ith: what was kept is there once, open calls become interrupted, no tool runs again, and it goes on",
    { timeout: 30_000 },
    async (dieAfter) => {
      const { converse, load, effects } = await createScene();
      await expect(converse("one", dieAfter)).rejects.toMatchObject({ signal: "SIGKILL" });
      const left = await load();
      expect(left.messages).toHaveLength(dieAfter);
      expect(left.lines).toEqual([]);
      const before = await effects();

      expect((await converse("two", 0)).stdout).toBe("Both.\n\nOne more.\n\nDone.");
      const { messages } = await load();
      const closing = renderInterrupted(left.messages);
      const rest = messages.slice(dieAfter);
      expect(messages.slice(0, dieAfter)).toEqual(left.messages);
      expect(rest.slice(0, -appends)).toEqual(closing === undefined ? [] : [closing]);
      expect(rest.slice(-appends)).toMatchObject([
        { role: "user", content: [{ text: "two" }] },
        ...rest.slice(1 - appends),
      ]);
      // Every call has exactly one result, and none but the second message's was made after the kill.
      expect(resultIds(messages).toSorted()).toEqual(callIds(messages).toSorted());
      expect(await effects()).toEqual([...before, "two-left", "two-right", "two-last"]);
      expect(renderForModel(messages).filter(({ role }) => role === "user").length).toBeLessThanOrEqual(2);
    },
  );
});

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
    expect(await store.observeFault()).toMatch(/^session store unwritable: .*another process works on it/);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await store.observeFault()).toBeUndefined();
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

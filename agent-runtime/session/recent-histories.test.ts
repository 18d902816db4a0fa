import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore, user } from "../testing/histories.ts";
import { renderFile, renderName } from "./history-files.ts";
import { RecentHistories, maxRecentBytes } from "./recent-histories.ts";
import type { HistoryEntry, WithdrawnEntry } from "./transcript.ts";

const keep = keepUntilEnd();
const hi = user("hi");
const answer = { role: "assistant" as const, text: "Good day.", toolCalls: [] };

describe("AGT-6 the histories used last", () => {
  test("are kept up to the bound, and past it the longest unused goes", () => {
    const recent = new RecentHistories();
    recent.keep("a", [hi], maxRecentBytes - 1);
    recent.keep("b", [hi], 1);
    expect(recent.get("a")).toEqual([hi]);
    recent.add("a", answer, 1);
    expect([recent.get("a"), recent.get("b")]).toEqual([[hi, answer], undefined]);
    recent.add("a", answer, 1);
    expect(recent.get("a")).toBeUndefined();
  });

  test("count once, however often they are kept", () => {
    const recent = new RecentHistories();
    for (let count = 0; count < 3; count += 1) recent.keep("a", [hi], maxRecentBytes / 2);
    recent.keep("b", [hi], maxRecentBytes / 2);
    expect([recent.get("a"), recent.get("b")]).toEqual([[hi], [hi]]);
    recent.forget("a");
    recent.keep("c", [hi], maxRecentBytes / 2);
    expect([recent.get("b"), recent.get("c")]).toEqual([[hi], [hi]]);
  });

  test("are lists that their readers may change", () => {
    const recent = new RecentHistories();
    const entries = [hi];
    recent.keep("a", entries, 1);
    entries.push(hi);
    recent.get("a")?.push(answer);
    expect(recent.get("a")).toEqual([hi]);
  });
});

describe("AGT-6 a history that is not read again", () => {
  const open = async () => {
    const folder = (await keep(createTestFolder())).path;
    const store = await keep(Promise.resolve(createTestStore(folder)));
    const path = join(folder, renderFile(renderName("k")));
    /** Whether the file is read at the next load: it is no history then. */
    const spoil = () => writeFile(path, "spoilt\n");
    return { store, spoil, folder };
  };

  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  test.each<[string, readonly (HistoryEntry | WithdrawnEntry)[]]>([
    ["messages", [answer, hi]],
    ["an image", [{ role: "user", content: [image] }, answer]],
    ["what is withdrawn", [{ role: "withdrawn", messages: 1, reason: "refused" }, hi]],
    ["a summary", [{ role: "summary", covers: 2, text: "Greetings." }, hi]],
  ])("is what the file says, after %s", async (_, added) => {
    const { store, folder } = await open();
    for (const entry of [hi, answer, hi]) await store.append("k", entry, "");
    await store.load("k");
    for (const entry of added) {
      await store.append("k", entry, "");
      await store.load("k");
    }
    await store.append("k", answer, "");
    const loaded = await store.load("k");
    await store.close();
    const fresh = await keep(Promise.resolve(createTestStore(folder)));
    expect(loaded).toEqual(await fresh.load("k"));
    expect(loaded.at(-1)).toEqual(answer);
  });

  test("is shown from memory, and gone once it is cleared or removed", async () => {
    const { store, spoil } = await open();
    await store.append("k", hi, "");
    expect(await store.load("k")).toEqual([hi]);
    await spoil();
    expect(await store.load("k")).toEqual([hi]);
    await store.clear("k").catch(() => undefined);
    expect(await store.load("k")).toEqual([]);
    await store.append("k", answer, "");
    expect(await store.load("k")).toEqual([answer]);
    await store.remove("k");
    expect(await store.load("k")).toEqual([]);
  });

  test("is read from the disk where it has images, which take more memory than its text", async () => {
    const { store, spoil } = await open();
    await store.append("k", { role: "user", content: [image] }, "");
    expect(await store.load("k")).toHaveLength(1);
    await spoil();
    await expect(store.load("k")).rejects.toThrow("cannot be read");
  });
});

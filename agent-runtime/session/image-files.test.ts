// Images beside their histories: kept once, shown where they were, gone with their history, and bounded.
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore, user } from "../testing/histories.ts";
import { testImage } from "../testing/images.ts";
import { maxShownImageChars } from "./entry-images.ts";
import { renderFile, renderName } from "./history-files.ts";
import { openStored } from "./open-history.ts";
import type { HistoryEntry } from "./transcript.ts";

const keep = keepUntilEnd();
type Changes = Parameters<typeof createTestStore>[1];

async function createFolder() {
  const { path: folder } = await keep(createTestFolder());
  const open = (changes: Changes = {}) => keep(Promise.resolve(createTestStore(folder, changes)));
  const images = join(folder, `${renderName("shared")}.images`);
  return { folder, open, images, list: () => readdir(images).catch(() => []) };
}

const show = (...fills: number[]): HistoryEntry => ({
  role: "user",
  content: fills.map((fill) => ({ type: "image", ...testImage("image/png", { bytes: 1_000, fill }) })),
});
const textsOf = (entries: readonly HistoryEntry[]) =>
  entries.flatMap((entry) =>
    entry.role === "user" ? entry.content.map((part) => (part.type === "text" ? part.text : "image")) : [],
  );
const gone = "[image left out: it is not kept any more]";

describe("AGT-4 an image of a history", () => {
  test("lies in a file by its hash, for its owner only, once however often it is sent, and comes back as it was", async () => {
    const { folder, open, images, list } = await createFolder();
    const store = await open();
    const { data, mimeType } = testImage();
    const tool: HistoryEntry = {
      role: "tool",
      results: [{ callId: "1", name: "a", text: "", images: [{ data, mimeType }], isError: false }],
    };
    const said: HistoryEntry[] = [{ role: "user", content: [{ type: "image", data, mimeType }] }, tool];
    for (const entry of said) await store.append("shared", entry);
    const [file = "", ...others] = await list();
    expect([file, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    expect((await readFile(join(images, file))).toString("base64")).toBe(data);
    expect([(await stat(images)).mode & 0o777, (await stat(join(images, file))).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await readFile(join(folder, renderFile(renderName("shared"))), "utf8")).not.toContain(data);
    await store.close();
    expect(await (await open()).load("shared")).toEqual(said);
  });

  test("that is missing, or was cut off while it was written, becomes a text, and can be sent again", async () => {
    const { open, images, list } = await createFolder();
    const first = await open();
    await first.append("shared", show(1, 2));
    await first.close();
    const [one = ""] = await list();
    await rm(join(images, one));
    await writeFile(join(images, "draft"), "half of it");
    const second = await open();
    expect(textsOf(await second.load("shared")).toSorted()).toEqual([gone, "image"]);
    await second.append("shared", show(1, 2));
    expect(textsOf(await second.load("shared"))).toEqual(["image", "image", "image", "image"]);
  });

  test("goes when its history is removed, cleared or dropped, and at the start when it has none", async () => {
    const { folder, open, images, list } = await createFolder();
    const store = await open();
    for (const drop of [() => store.remove("shared"), () => store.clear("shared")]) {
      await store.append("shared", show(1));
      expect(await list()).toHaveLength(1);
      await drop();
      expect(await list()).toEqual([]);
    }
    expect([await store.has("shared"), await store.load("shared")]).toEqual([true, []]);
    await store.append("shared", show(1));
    await store.close();
    await mkdir(join(folder, `${renderName("nobody")}.images`));
    await utimes(join(folder, renderFile(renderName("shared"))), 0, 0);
    const next = await open({ idleTtlMs: 1_000 });
    expect(await next.has("shared")).toBe(false);
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual(["lock"]));
    expect(images).toContain(folder);
  });

  test("counts to the room of all histories, also after a restart", async () => {
    const { open } = await createFolder();
    const first = await open();
    await first.append("shared", show(1, 2, 3));
    await first.append("other", user("x"));
    await first.close();
    const second = await open({ maxBytes: 3_000 });
    expect([await second.has("shared"), await second.has("other")]).toEqual([false, true]);
    await expect(second.append("other", show(1, 2, 3))).rejects.toThrow("this conversation does not fit");
  });
});

describe("AGT-4 the images of one history", () => {
  test("have four times the room of its text; then the oldest go, at the bound none", async () => {
    const { open } = await createFolder();
    // 1,000 bytes each.
    const store = await open({ maxBytesPerConversation: 1_000 });
    for (const fill of [1, 2, 3, 1]) await store.append("shared", show(fill));
    await store.append("shared", show(4));
    expect(textsOf(await store.load("shared"))).toEqual(["image", "image", "image", "image", "image"]);
    await store.clear("shared");
    for (const fills of [[1, 2, 3], [1], [4, 5]]) await store.append("shared", show(...fills));
    // The first one was sent again: the second is the oldest.
    expect(textsOf(await store.load("shared"))).toEqual(["image", gone, "image", "image", "image", "image"]);
    // Those of one entry stay together.
    await store.clear("shared");
    await store.append("shared", show(1, 2, 3, 4, 5));
    expect(textsOf(await store.load("shared"))).toEqual(["image", "image", "image", "image", "image"]);
  });

  test("are shown to a model within 20 MiB of base64, the newest first, as they are loaded and as they are added", async () => {
    const { open } = await createFolder();
    const store = await open();
    const large = (fill: number): HistoryEntry => ({
      role: "user",
      content: [{ type: "image", ...testImage("image/png", { bytes: maxShownImageChars * (3 / 16), fill }) }],
    });
    const whole = [1, 2, 3, 4].map(() => "image");
    const leftOut = "[image left out: newer ones use up the space]";
    for (const fill of [1, 2, 3, 4]) await store.append("shared", large(fill));
    expect(textsOf(await store.load("shared"))).toEqual(whole);
    const history = await openStored(store, { key: "shared", owner: "" }, () => undefined);
    await history.append(show(1));
    const bounded = [leftOut, ...whole];
    expect(textsOf(history.entries)).toEqual(bounded);
    await history.close();
    expect(textsOf(await store.load("shared"))).toEqual(bounded);
    expect(textsOf(await store.readAll("shared"))).toEqual(["image", ...whole]);
  });
});

describe("AGT-5 a history of an earlier version", () => {
  const inline = (fill: number) => testImage("image/png", { bytes: 100_000, fill });
  const line = (entry: object) => `${JSON.stringify(entry)}\n`;
  const old = [
    line({ schema: 1, key: "shared", createdAt: "2026-01-01T00:00:00.000Z" }),
    line({
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image", ...inline(1) },
      ],
    }),
    line({ role: "assistant", text: "", toolCalls: [{ id: "1", name: "t", arguments: {} }] }),
    line({ role: "tool", results: [{ callId: "1", name: "t", text: "b", images: [inline(2)], isError: false }] }),
    line({ role: "assistant", text: "c", toolCalls: [] }),
  ].join("");

  test("with images in its lines is read, goes on, and takes the room of its text alone", async () => {
    const { folder, open, list } = await createFolder();
    const file = join(folder, renderFile(renderName("shared")));
    await writeFile(file, old);
    const store = await open({ maxBytesPerConversation: 100_000 });
    const loaded = await store.load("shared");
    expect(loaded).toMatchObject([
      { content: [{ text: "a" }, inline(1)] },
      { role: "assistant" },
      { results: [{ text: "b", images: [inline(2)] }] },
      { text: "c" },
    ]);
    expect(await list()).toHaveLength(2);
    expect((await stat(file)).size).toBeLessThan(2_000);
    expect(await readFile(file, "utf8")).toContain('"createdAt":"2026-01-01T00:00:00.000Z"');
    await store.append("shared", user("d"));
    expect(await store.load("shared")).toEqual([...loaded, user("d")]);
  });

  test("that could not be rewritten in the end is whole as it was", async () => {
    const { folder, open } = await createFolder();
    const name = renderFile(renderName("shared"));
    await writeFile(join(folder, name), old);
    await writeFile(join(folder, `${name}.draft`), old.slice(0, 50));
    const store = await open();
    expect(await store.load("shared")).toHaveLength(4);
    expect((await readdir(folder)).filter((file) => file.endsWith(".draft"))).toEqual([]);
  });
});

describe("AGT-5 the bound of one history", () => {
  test("at it an entry is kept, one byte past it the call is told what to do, and clearing makes room", async () => {
    const { folder, open } = await createFolder();
    const first = await open();
    await first.append("shared", user("a"));
    const file = join(folder, renderFile(renderName("shared")));
    const entry = user("b".repeat(50));
    const bytes = (await stat(file)).size + JSON.stringify(entry).length + 1;
    await first.close();
    const tight = createTestStore(folder, { maxBytesPerConversation: bytes - 1 });
    await expect(tight.append("shared", entry)).rejects.toThrow(
      `this conversation has reached the ${bytes - 1} bytes that one may have (history.maxBytesPerConversation): clear it with clear_history, or start a new one`,
    );
    await tight.close();
    const store = await open({ maxBytesPerConversation: bytes });
    await store.append("shared", entry);
    expect(await store.load("shared")).toEqual([user("a"), entry]);
    await expect(store.append("shared", user(""))).rejects.toThrow("clear_history");
    expect(await store.clear("shared")).toBe(2);
    await store.append("shared", entry);
  });

  test("of one that is larger already ends a call before it is in memory, and pages of it are read", async () => {
    const { open } = await createFolder();
    const first = await open();
    for (let index = 0; index < 10; index += 1) await first.append("shared", user(`${index} ${"x".repeat(1_000)}`));
    await first.close();
    const store = await open({ maxBytesPerConversation: 5_000 });
    await expect(store.load("shared")).rejects.toThrow("history.maxBytesPerConversation");
    const page = await store.readPage("shared", { messages: 2, bytes: 10_000 });
    expect([page.first, page.messages.length]).toEqual([8, 2]);
  });
});

import {
  access,
  appendFile,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../model/types.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { renderFile, renderName } from "./history-files.ts";

const keep = keepUntilEnd();

async function createFolder(): Promise<string> {
  return (await keep(createTestFolder())).path;
}
/** Like a process after another: the folder must have been given back. */
const open = (
  folder: string,
  ...rest: Parameters<typeof createTestStore> extends [string, ...infer Rest] ? Rest : never
) => keep(Promise.resolve(createTestStore(folder, ...rest)));
const pathOf = (folder: string, key: string) => join(folder, renderFile(renderName(key)));

/** Every kind of message there is. */
const conversation: ModelMessage[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "Grüße\n\u2028 \ud83d" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
  },
  {
    role: "assistant",
    text: "I look.",
    toolCalls: [
      { id: "1", name: "a__b", arguments: { q: ["x", null] } },
      { id: "2", name: "c", arguments: "{oops", malformed: "no JSON" },
    ],
    opaque: { signature: "abc" },
  },
  {
    role: "tool",
    results: [
      { callId: "1", name: "a__b", text: "", images: [{ data: "aGk=", mimeType: "image/gif" }], isError: true },
    ],
  },
  result("2"),
  { role: "assistant", text: "Done.", toolCalls: [] },
];

async function write(folder: string, key: string, messages: readonly ModelMessage[]) {
  const store = await open(folder);
  for (const message of messages) await store.append(key, message);
  await store.close();
}

describe("AGT-5 histories survive the process", () => {
  test("as they were, images and providers' own blocks included, and go on", async () => {
    const folder = await createFolder();
    await write(folder, "shared", conversation);
    const store = await open(folder);
    expect([await store.has("shared"), await store.has("other")]).toEqual([true, false]);
    expect(await store.load("shared")).toEqual(conversation);
    await store.append("shared", user("more"));
    expect(await store.load("shared")).toEqual([...conversation, user("more")]);
    expect(await store.load("other")).toEqual([]);
  });

  test("with a header first, for their owner only, and removed when they are removed", async () => {
    const folder = join(await createFolder(), "new", "folder");
    const store = await open(folder);
    await store.append("shared", user("a"));
    const [header = "", ...lines] = (await readFile(pathOf(folder, "shared"), "utf8")).split("\n");
    expect(JSON.parse(header)).toEqual({ schema: 2, key: "shared", createdAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(lines).toEqual([JSON.stringify(user("a")), ""]);
    expect([(await stat(folder)).mode & 0o777, (await stat(pathOf(folder, "shared"))).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    await store.remove("shared");
    await store.remove("shared");
    await expect(access(pathOf(folder, "shared"))).rejects.toThrow("ENOENT");
    expect([await store.has("shared"), await store.load("shared")]).toEqual([false, []]);
  });

  test("a call without arguments is kept as one with none", async () => {
    const folder = await createFolder();
    const bare: ModelMessage = {
      role: "assistant",
      text: "",
      toolCalls: [{ id: "1", name: "a", arguments: undefined }],
    };
    await write(folder, "shared", [bare]);
    expect(await (await open(folder)).load("shared")).toEqual([
      { ...bare, toolCalls: [{ id: "1", name: "a", arguments: {} }] },
    ]);
  });

  test("no key leads out of the folder or into another history, however it is written", async () => {
    const folder = join(await createFolder(), "histories");
    const store = await open(folder);
    const keys = [
      "../../escape",
      "/etc/passwd",
      "a\0b",
      "..",
      "",
      "x".repeat(10_000),
      "connection:ä",
      "CONNECTION:ä",
      "lock",
    ];
    for (const key of keys) await store.append(key, user(key));
    for (const key of keys) expect(await store.load(key)).toEqual([user(key)]);
    expect(await readdir(join(folder, ".."))).toEqual(["histories"]);
    const others = (await readdir(folder)).filter((file) => !/^[0-9a-f]{64}\.jsonl$/.test(file));
    expect(others).toEqual(["lock"]);
  });

  test("appends that come together are kept one after the other", async () => {
    const folder = await createFolder();
    const store = await open(folder);
    const messages = Array.from({ length: 20 }, (_, index) => user(`${index}`));
    await Promise.all(messages.map((message) => store.append("shared", message)));
    expect(await store.load("shared")).toEqual(messages);
  });
});

describe("AGT-5 a file that is not whole", () => {
  test.each([1, 5, 30])(
    "a last line that lacks its last %i bytes is cut off and told, and the history goes on",
    async (bytes) => {
      const folder = await createFolder();
      await write(folder, "shared", [user("first message"), user("second message")]);
      const path = pathOf(folder, "shared");
      await truncate(path, (await stat(path)).size - bytes);
      const store = await open(folder);
      expect(await store.load("shared")).toEqual([user("first message")]);
      expect(store.lines).toMatchObject([{ level: "WARNING", message: "incomplete last entry of a history removed" }]);
      await store.append("shared", user("third"));
      await store.close();
      const next = await open(folder);
      expect(await next.load("shared")).toEqual([user("first message"), user("third")]);
      expect(next.lines).toEqual([]);
    },
  );

  test("an append cuts a torn end off even when nothing was loaded before", async () => {
    const folder = await createFolder();
    await write(folder, "shared", [user("a")]);
    await appendFile(pathOf(folder, "shared"), '{"role":"us');
    const store = await open(folder);
    await store.append("shared", user("b"));
    expect(await store.load("shared")).toEqual([user("a"), user("b")]);
  });

  test("with half a header holds nothing yet, and is begun anew", async () => {
    const folder = await createFolder();
    await writeFile(pathOf(folder, "shared"), '{"schema":1,"ke');
    const store = await open(folder);
    expect(await store.load("shared")).toEqual([]);
    await store.append("shared", user("a"));
    await store.close();
    expect(await (await open(folder)).load("shared")).toEqual([user("a")]);
  });

  const garbage: [string, (lines: string[]) => string[], string][] = [
    ["a line that is no JSON", (lines) => lines.with(1, "oops"), "line 2 is not a message (SyntaxError)"],
    ["a line that is no message", (lines) => lines.with(2, '{"role":"user"}'), "line 3 is not a message (ZodError)"],
    ["an empty line", (lines) => lines.toSpliced(1, 0, ""), "line 2 is not a message (SyntaxError)"],
    ["no header", (lines) => lines.slice(1), "line 1 is not a header (ZodError)"],
    [
      "another key's header",
      (lines) => lines.with(0, lines[0]?.replace("shared", "other") ?? ""),
      "line 1 is not a header",
    ],
  ];
  test.each(garbage)("with %s is put aside with nothing lost, and the error names it", async (_what, spoil, said) => {
    const folder = await createFolder();
    await write(folder, "shared", [user("secret"), calls("1"), result("1")]);
    const path = pathOf(folder, "shared");
    const spoilt = spoil((await readFile(path, "utf8")).split("\n")).join("\n");
    await writeFile(path, spoilt);
    const store = await open(folder);
    const error = await store.load("shared").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "HistoryUnreadable", message: expect.stringContaining(said) });
    expect(String(error)).toContain(renderFile(renderName("shared")));
    expect(JSON.stringify([String(error), store.lines])).not.toContain("secret");
    const [kept = ""] = (await readdir(folder)).filter((file) => file.endsWith(".corrupt"));
    expect(await readFile(join(folder, kept), "utf8")).toBe(spoilt);
    expect(await store.load("shared")).toEqual([]);
    await store.append("shared", user("anew"));
    await store.close();
    expect(await (await open(folder)).load("shared")).toEqual([user("anew")]);
  });

  test("bytes that are no UTF-8 are not taken for text", async () => {
    const folder = await createFolder();
    await write(folder, "shared", [user("abc")]);
    const path = pathOf(folder, "shared");
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, bytes.lastIndexOf("abc"), bytes.lastIndexOf("abc") + 3));
    await expect((await open(folder)).load("shared")).rejects.toThrow("line 2 is not a message (TypeError)");
  });

  test("one of a later version is refused and left where it is", async () => {
    const folder = await createFolder();
    const text = `${JSON.stringify({ schema: 3, key: "shared", createdAt: "2026-01-01T00:00:00Z" })}\n{"new":1}\n`;
    await writeFile(pathOf(folder, "shared"), text);
    const store = await open(folder);
    await expect(store.load("shared")).rejects.toThrow("it has schema 3, and this version reads up to 2");
    await expect(store.append("shared", user("a"))).rejects.toThrow("run the version that wrote it");
    expect(await readFile(pathOf(folder, "shared"), "utf8")).toBe(text);
  });
});

describe("HLT-2 a session store that cannot be written", () => {
  test("says so in health and to whoever uses it, and recovers when it can be", async () => {
    const parent = await createFolder();
    const folder = join(parent, "file", "histories");
    await writeFile(join(parent, "file"), "not a folder");
    const store = await open(folder);
    expect(await store.observeProblem()).toMatch(/^session store unwritable: .*ENOTDIR.*PALLAS_HISTORIES_DIR$/);
    for (const use of [
      store.has("a"),
      store.load("a"),
      store.append("a", user("x")),
      store.remove("a"),
      store.hold("a"),
    ]) {
      await expect(use).rejects.toThrow("session store unwritable");
    }
    await rm(join(parent, "file"));
    expect(await store.observeProblem()).toBeUndefined();
    await store.append("a", user("x"));
    expect(await readdir(folder)).not.toContain("probe");
  });

  test("a full disk under one history is a problem of the store, and leaves nothing half written", async () => {
    const folder = await createFolder();
    await symlink("/dev/full", pathOf(folder, "full"));
    const store = await open(folder);
    await expect(store.append("full", user("x"))).rejects.toThrow("session store unwritable");
    await store.append("other", user("x"));
    expect(await store.load("other")).toEqual([user("x")]);
  });

  test("once closed it is not opened again", async () => {
    const store = await open(await createFolder());
    await store.append("a", user("x"));
    await store.close();
    await store.close();
    await expect(store.append("a", user("y"))).rejects.toThrow("the agent is shutting down");
    expect(await store.observeProblem()).toContain("closed");
  });

  test("a folder that another store has is not touched, until that one is closed", async () => {
    const folder = await createFolder();
    const first = await open(folder);
    await first.append("a", user("x"));
    const second = await open(folder);
    expect(await second.observeProblem()).toMatch(/another process works on it; stop that process/);
    await expect(second.append("a", user("y"))).rejects.toThrow("session store unwritable");
    await first.append("a", user("z"));
    await first.close();
    expect(await second.load("a")).toEqual([user("x"), user("z")]);
  });
});

describe("AGT-5 the start with many histories", () => {
  test("looks at names and times only: contents that nobody could read do not matter, age does", async () => {
    const folder = await createFolder();
    const keys = Array.from({ length: 1_000 }, (_, index) => `session:${index}`);
    await Promise.all(keys.map((key) => writeFile(pathOf(folder, key), "x\n")));
    await utimes(pathOf(folder, "session:0"), 0, 0);
    const store = await open(folder);
    expect(await store.has("session:999")).toBe(true);
    expect(await store.has("session:0")).toBe(false);
  });
});

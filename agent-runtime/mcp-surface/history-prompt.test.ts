// AGT-4 the pages of the history prompt over a store of files.
import { describe, expect, test } from "vitest";
import type { CallContext, PromptMessage } from "../../lib/mcp/table.ts";
import { createSessions } from "../session/sessions.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { testImage } from "../testing/images.ts";
import { createHistoryPrompt, maxMessages, pageBytes } from "./history-prompt.ts";

const keep = keepUntilEnd();
const context: CallContext = {
  era: "2026",
  requestId: "1",
  signal: new AbortController().signal,
  caller: "anyone",
  meta: {},
};

async function open() {
  const { path } = await keep(createTestFolder());
  const store = await keep(Promise.resolve(createTestStore(path)));
  const prompt = createHistoryPrompt("a", createSessions({ scope: "shared", maxQueued: 1, store }));
  const read = async (args: Record<string, string> = {}) => (await prompt.get(args, context)).messages.map(renderPart);
  return { store, read };
}

const renderPart = ({ content }: PromptMessage): string =>
  content.type === "text" ? content.text.slice(0, 80) : `<${content.type}>`;
const earlier = (before: number) => expect.stringContaining(`before: "${before}"`);

describe("AGT-4 a page of the history", () => {
  test("is the end of it, 50 messages unless told otherwise, and names what is before; page by page it is all", async () => {
    const { store, read } = await open();
    for (let index = 0; index < 51; index += 1) await store.append("shared", user(`${index}`));
    expect(await read()).toEqual([earlier(1), ...Array.from({ length: 50 }, (_, index) => `${index + 1}`)]);
    expect(await read({ before: "1" })).toEqual(["0"]);
    expect(await read({ limit: "2", before: "3" })).toEqual([earlier(1), "1", "2"]);
    expect(await read({ limit: "51" })).toHaveLength(51);
    expect((await read({ before: "1000" })).at(-1)).toBe("50");
  });

  test("counts messages of the conversation only, not what passed between the model and its tools", async () => {
    const { store, read } = await open();
    const answer = { role: "assistant" as const, text: "done", toolCalls: [] };
    for (const entry of [user("a"), calls("1"), result("1"), result("2"), answer]) await store.append("shared", entry);
    expect(await read({ limit: "1" })).toEqual([earlier(4), "done"]);
    expect(await read({ limit: "1", before: "4" })).toEqual([earlier(1)]);
    expect(await read()).toEqual(["a", "done"]);
  });

  test("has at most 8 MiB as they are kept, images among them, but always one message", async () => {
    const { store, read } = await open();
    const overhead = JSON.stringify(user("")).length;
    const half = user("x".repeat(pageBytes / 2 - overhead));
    await store.append("shared", user("first"));
    for (const entry of [half, half]) await store.append("shared", entry);
    expect(await read()).toEqual([earlier(1), expect.any(String), expect.any(String)]);
    await store.append("shared", user(""));
    expect(await read()).toHaveLength(3);
    expect(await read({ before: "3" })).toHaveLength(3);
    const image = { type: "image" as const, ...testImage("image/png", { bytes: 10 * 2 ** 20 }) };
    await store.append("shared", { role: "user", content: [image] });
    expect(await read()).toEqual([earlier(4), "<image>"]);
  });

  test.each([
    ["limit", "0"],
    ["limit", `${maxMessages + 1}`],
    ["limit", "many"],
    ["before", "0"],
    ["before", "-1"],
    ["before", "9".repeat(30)],
  ])("is refused with %s %s", async (name, value) => {
    const { read } = await open();
    await expect(read({ [name]: value })).rejects.toThrow(`${name}: expected a number from 1 to`);
  });

  test("may be as long as the largest limit", async () => {
    const { store, read } = await open();
    await store.append("shared", user("a"));
    expect(await read({ limit: `${maxMessages}` })).toEqual(["a"]);
  });
});

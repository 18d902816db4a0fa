// What is read of a file without reading it whole, against what the entries themselves say.
import fc from "fast-check";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { calls, createTestFolder, createTestStore, result, user } from "../testing/histories.ts";
import { renderFile, renderName } from "./history-files.ts";
import { renderHeader, renderLine } from "./history-text.ts";
import { listMessages, renderForModel, withdraw, type HistoryEntry, type WithdrawnEntry } from "./transcript.ts";

const keep = keepUntilEnd();

type Step = { add: "user" | "turn" | "tools" } | { summary: number } | { withdrawn: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Step>({ add: "user" }, { add: "turn" }, { add: "tools" }) },
  { weight: 1, arbitrary: fc.nat(12).map((summary) => ({ summary })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }).map((withdrawn) => ({ withdrawn })) },
);

/** The entries as lines have them, what a summary covers counted from the first message. */
function renderSteps(steps: readonly Step[]): (HistoryEntry | WithdrawnEntry)[] {
  return steps.flatMap((each, index): (HistoryEntry | WithdrawnEntry)[] => {
    if ("withdrawn" in each) return [{ role: "withdrawn", messages: each.withdrawn, reason: "refused" }];
    if ("summary" in each) {
      return each.summary === 0 ? [] : [{ role: "summary", covers: each.summary, text: `to ${index}` }];
    }
    if (each.add === "user") return [user(`${index}`)];
    if (each.add === "turn") return [user(`${index}`), { role: "assistant", text: `${index}`, toolCalls: [] }];
    return [calls(`${index}`), result(`${index}`)];
  });
}

function apply(lines: readonly (HistoryEntry | WithdrawnEntry)[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const line of lines) {
    if (line.role === "withdrawn") withdraw(entries, line.messages);
    else entries.push(line);
  }
  return entries;
}

test("AGT-4 AGT-14 a model is shown the same from the last summary on as from the beginning, and so is what follows", async () => {
  const { path } = await keep(createTestFolder());
  let skips = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.uuid(), async (steps, key) => {
    const lines = renderSteps(steps);
    const entries = apply(lines);
    await writeFile(join(path, renderFile(renderName(key))), [renderHeader(key, 0), ...lines.map(renderLine)].join(""));
    const store = createTestStore(path);
    const loaded = await store.load(key);
    expect(renderForModel(loaded)).toEqual(renderForModel(entries));
    expect(await store.readAll(key)).toEqual(entries);
    const { messages } = await store.readPage(key, { messages: Infinity, bytes: Infinity });
    expect(messages).toEqual(listMessages(entries).filter(({ role }) => role !== "tool"));
    if (loaded.length < entries.length) skips += 1;
    // A summary that is written next counts from what was loaded.
    const summary = { role: "summary" as const, covers: Math.max(1, listMessages(loaded).length - 1), text: "next" };
    await store.append(key, summary);
    expect(renderForModel(await store.load(key))).toEqual(renderForModel([...loaded, summary]));
    await store.close();
  });
  await fc.assert(property, { numRuns: 150 });
  // Else it has shown nothing.
  expect(skips).toBeGreaterThan(20);
}, 60_000);

describe("AGT-5 a line that was withdrawn or is covered", () => {
  test("is not read again: what is broken in it does not matter to a call", async () => {
    const { path } = await keep(createTestFolder());
    const broken = '{"role":"user","content":"not a list"}\n';
    const summary = renderLine({ role: "summary", covers: 2, text: "short" });
    const lines = [renderHeader("key", 0), broken, renderLine(user("a")), renderLine(user("b")), summary];
    await writeFile(join(path, renderFile(renderName("key"))), lines.join(""));
    const store = await keep(Promise.resolve(createTestStore(path)));
    expect(renderForModel(await store.load("key"))).toMatchObject([
      { content: [{ text: expect.stringContaining("short") }, { text: "b" }] },
    ]);
  });

  test("is found in any order of its fields, and across the pieces in which a file is read", async () => {
    const { path } = await keep(createTestFolder());
    const long = user("ä".repeat(300_000));
    const swapped = `${JSON.stringify({ content: [{ type: "text", text: "b" }], role: "user" })}\n`;
    const lines = [renderHeader("key", 0), renderLine(long), swapped, renderLine(long)];
    const file = join(path, renderFile(renderName("key")));
    await writeFile(file, lines.join(""));
    const store = await keep(Promise.resolve(createTestStore(path)));
    expect(await store.load("key")).toEqual([long, user("b"), long]);
    await store.close();
    await truncate(file, (await readFile(file)).length - 1);
    expect(await (await keep(Promise.resolve(createTestStore(path)))).load("key")).toEqual([long, user("b")]);
  });
});

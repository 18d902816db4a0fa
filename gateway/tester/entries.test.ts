import { expect, it, describe } from "vitest";
import { createRing, createStamp, maxEntryChars, renderNotification, type NewEntry } from "./entries.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";

const entryOf = (response: string): NewEntry => ({
  server: "s",
  tool: "",
  args: {},
  response,
  latency_ms: 0,
  success: true,
  kind: "notification",
});
const ringOf = (texts: string[], bounds: { maxEntries: number; maxChars: number }) => {
  const ring = createRing(bounds);
  const stamp = createStamp(new ManualClock());
  for (const text of texts) ring.push(stamp(entryOf(text)));
  return ring.list().map(({ response }) => response);
};

describe("DSC-9 what a server said is kept", () => {
  it("the newest first, numbered, with the time", () => {
    const stamp = createStamp(new ManualClock());
    expect([stamp(entryOf("a")), stamp(entryOf("b"))]).toMatchObject([
      { id: 1, timestamp: "2026-01-01T00:00:00.000Z" },
      { id: 2 },
    ]);
    expect(ringOf(["a", "b"], { maxEntries: 2, maxChars: 10 })).toEqual(["b", "a"]);
  });

  it("up to so many, and of one more the oldest goes", () => {
    expect(ringOf(["a", "b", "c"], { maxEntries: 3, maxChars: 100 })).toEqual(["c", "b", "a"]);
    expect(ringOf(["a", "b", "c", "d"], { maxEntries: 3, maxChars: 100 })).toEqual(["d", "c", "b"]);
  });

  it("up to so many characters, and the newest in any case", () => {
    expect(ringOf(["aa", "bb"], { maxEntries: 9, maxChars: 4 })).toEqual(["bb", "aa"]);
    expect(ringOf(["aa", "bbb"], { maxEntries: 9, maxChars: 4 })).toEqual(["bbb"]);
    expect(ringOf(["aa", "bbbbb"], { maxEntries: 9, maxChars: 4 })).toEqual(["bbbbb"]);
  });

  it("whole up to its limit, and beyond it how it begins", () => {
    const data = "x".repeat(maxEntryChars - JSON.stringify({ data: "" }).length);
    expect(renderNotification("s", "notifications/message", { data }).args).toEqual({ data });
    const cut = renderNotification("s", "notifications/message", { data: `${data}y` });
    expect(cut.args).toEqual({ truncated: true, chars: maxEntryChars + 1 });
    expect(cut.response).toHaveLength(maxEntryChars + 1);
  });

  it("progress by the name of its token", () => {
    const params = { progressToken: 7, progress: 1, total: 2, message: "m" };
    expect(renderNotification("s", "notifications/progress", params)).toMatchObject({
      kind: "progress",
      tool: "progress",
      args: { token: 7, progress: 1, total: 2, message: "m" },
    });
  });
});

import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createInformer } from "./informer.ts";
import type { RawObject } from "./object.ts";
import type { ReflectorTiming } from "./reflector.ts";
import { answerStatus, FakeApiServer, widgetType, type Handler } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

const quick: Partial<ReflectorTiming> = { backoff: { initialMs: 2, maxMs: 20 }, inactivityMs: 5_000 };

/** An informer that is live on widget `a`. */
async function setUp(timing: Partial<ReflectorTiming> = {}, clock?: ManualClock) {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1", maxLineBytes: 10_000 });
  const informer = createInformer<RawObject>({
    transport,
    type: widgetType,
    parse: (raw) => raw,
    indexes: {},
    log: silentLog(),
    timing: { ...quick, ...timing },
    ...(clock && { clock }),
  });
  onTestFinished(async () => {
    await informer.stop();
    await transport.close();
    await fake.stop();
  });
  const changes: string[] = [];
  informer.store.onChange((change) => {
    const object = change.type === "deleted" ? change.previous : change.object;
    changes.push(`${change.type} ${object.metadata.name} ${object.metadata.uid}`);
  });
  fake.put("a");
  informer.start();
  await vi.waitFor(() => expect(fake.openWatches).toBe(1));
  return { fake, informer, changes };
}

/** The line of an event for a new version of `a`, which no watcher has been told of. */
function quietEvent(fake: FakeApiServer, fields: Record<string, unknown>): string {
  return `${JSON.stringify({ type: "MODIFIED", object: fake.put("a", fields, { quiet: true }) })}\n`;
}

const lists = (fake: FakeApiServer) => fake.seen("list").length;
const lastWatchedFrom = (fake: FakeApiServer) => fake.seen("watch").at(-1)?.query.get("resourceVersion");

describe("OPR-7 broken streams", () => {
  test("fault 4: a reset in the middle of a line: the event comes with the next watch, from the same place", async () => {
    const { fake, informer } = await setUp();
    const from = fake.version;
    fake.sendRaw(quietEvent(fake, { color: "blue" }).slice(0, 40));
    fake.put("b");
    fake.resetWatches();
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    expect(fake.seen("watch")[1]?.query.get("resourceVersion")).toBe(from);
    expect(lists(fake)).toBe(1);
  });

  test("a clean end in the middle of a line drops the fragment", async () => {
    const { fake, informer } = await setUp();
    fake.sendRaw('{"type":"ADDED"');
    fake.endWatches();
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(2));
    fake.put("b");
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
  });

  test("fault 5: a character split over two chunks stays whole", async () => {
    const { fake, informer } = await setUp();
    const bytes = Buffer.from(quietEvent(fake, { color: "grün 🎨" }));
    const middle = bytes.indexOf(Buffer.from("🎨")) + 2;
    fake.sendRaw(bytes.subarray(0, middle));
    // Two separate packets: the second is written when the first has gone through the loop.
    await new Promise((resolve) => setImmediate(resolve));
    fake.sendRaw(bytes.subarray(middle));
    await vi.waitFor(() => expect(informer.store.get("default/a")?.["color"]).toBe("grün 🎨"));
  });

  test("fault 20: a garbage line: the watch is opened again from the last good place and nothing is lost", async () => {
    const { fake, informer } = await setUp();
    fake.put("b");
    const from = fake.version;
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    fake.sendRaw("garbage }\n");
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(2));
    expect(lastWatchedFrom(fake)).toBe(from);
    fake.put("c");
    await vi.waitFor(() => expect(informer.store.size).toBe(3));
    expect(lists(fake)).toBe(1);
  });

  test.each([
    ["at the limit is read", 10_000, { watches: 1, color: "blue" }],
    ["one byte longer is refused, and the watch opened again", 10_001, { watches: 2, color: undefined }],
  ])("a line %s", async (_title, bytes, expected) => {
    const { fake, informer } = await setUp();
    const line = quietEvent(fake, { color: "blue", filler: "" });
    fake.sendRaw(line.replace('"filler":""', `"filler":"${"x".repeat(bytes - (line.length - 1))}"`));
    const outcome = () => ({ watches: fake.seen("watch").length, color: informer.store.get("default/a")?.["color"] });
    await expect.poll(outcome).toEqual(expected);
  });

  const times = (count: number, handler: Handler) => Array.from({ length: count }, () => handler);
  /** Accepted, and broken without an event. */
  const fruitless: Handler = (response) => {
    response.writeHead(200).flushHeaders();
    response.destroy();
  };

  test.each([
    ["four fruitless watches in a row: the place is kept", 4, 1],
    ["five: the place is doubted and the list comes anew", 5, 2],
  ])("%s", async (_title, count, expectedLists) => {
    const { fake, informer } = await setUp();
    // The one that was open is the first of them.
    fake.next.watch.push(...times(count - 1, fruitless));
    fake.resetWatches();
    fake.put("b");
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(count + 1));
    await vi.waitFor(() => expect(informer.state.phase).toBe("live"));
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    expect(lists(fake)).toBe(expectedLists);
  });

  test("news between them begin the count anew", async () => {
    const { fake, informer } = await setUp();
    for (const [news, watches] of [
      ["b", 5],
      ["c", 9],
    ] as const) {
      fake.next.watch.push(...times(3, fruitless));
      fake.resetWatches();
      await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(watches));
      await vi.waitFor(() => expect(fake.openWatches).toBe(1));
      fake.put(news);
      await vi.waitFor(() => expect(informer.store.get(`default/${news}`)).toBeDefined());
    }
    expect(lists(fake)).toBe(1);
  });

  test.each<[string, Handler]>([
    ["put off by 429", answerStatus(429, "TooManyRequests")],
    ["not answered at all", (response) => void response.destroy()],
  ])("openings that are %s say nothing about the place, however many: no list", async (_title, handler) => {
    const { fake, informer } = await setUp();
    fake.next.watch.push(...times(12, handler));
    fake.resetWatches();
    fake.put("b");
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(14));
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    expect(lists(fake)).toBe(1);
  });
});

describe("OPR-7 a watch that lasted", () => {
  test("ends the back-off, however it ends", async () => {
    const clock = new ManualClock();
    const { fake, informer } = await setUp({ backoff: { initialMs: 100, maxMs: 100_000 } }, clock);
    fake.next.watch.push(...Array.from({ length: 5 }, () => answerStatus(503, "ServiceUnavailable")));
    fake.resetWatches();
    for (const watches of [2, 3, 4, 5, 6, 7]) {
      await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
      await clock.advance(100_000);
      await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(watches));
    }
    await vi.waitFor(() => expect(informer.state.phase).toBe("live"));
    await clock.advance(10_000);
    fake.resetWatches();
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    expect(clock.pending[0]).toBeLessThanOrEqual(100);
  });
});

describe("OPR-7 a place that the server does not know any more", () => {
  const expired = `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "old" } })}\n`;

  test("fault 7: 410 in the stream: a new list", async () => {
    const { fake, informer } = await setUp();
    fake.put("b", {}, { quiet: true });
    fake.sendRaw(expired);
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
    expect(lists(fake)).toBe(2);
  });

  test("fault 8, fault 17: 410 on connect, and deletes that were missed during the outage", async () => {
    const { fake, changes } = await setUp();
    fake.remove("a", { quiet: true });
    fake.put("b", {}, { quiet: true });
    fake.compact();
    fake.resetWatches();
    await vi.waitFor(() => expect(changes).toEqual(["added a uid-1", "deleted a uid-1", "added b uid-2"]));
  });

  test("after an outage 410 ends the back-off, and 410 without end does not", async () => {
    const clock = new ManualClock();
    const { fake } = await setUp({ backoff: { initialMs: 100, maxMs: 100_000 }, healthyAfterMs: 10_000 }, clock);
    const pause = async (forMs: number) => {
      await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
      await clock.advance(forMs);
    };
    await clock.advance(10_000);
    fake.next.watch.push(...Array.from({ length: 3 }, () => answerStatus(503, "ServiceUnavailable")));
    fake.resetWatches();
    for (const watches of [2, 3, 4]) {
      await pause(100_000);
      await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(watches));
    }
    fake.next.watch.push(...Array.from({ length: 5 }, () => answerStatus(410, "Expired")));
    await pause(100_000);
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(5));
    await pause(100);
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(6));
    for (const delayMs of [200, 400, 800, 1_600]) {
      // Jitter takes off a quarter at most.
      await pause(delayMs * 0.75 - 1);
      expect(clock.pending).toHaveLength(1);
      await clock.advance(delayMs);
      await vi.waitFor(() => expect(clock.pending.length + fake.openWatches).toBe(1));
    }
    expect(lists(fake)).toBe(1 + 5);
  });

  test("fault 18: the same name with a new uid is a deletion and an addition", async () => {
    const { fake, changes } = await setUp();
    fake.remove("a", { quiet: true });
    fake.put("a", {}, { quiet: true });
    fake.compact();
    fake.resetWatches();
    await vi.waitFor(() => expect(changes).toEqual(["added a uid-1", "deleted a uid-1", "added a uid-2"]));
  });

  test("fault 10: bookmarks alone move the place to resume from", async () => {
    const { fake } = await setUp();
    fake.bookmark();
    const bookmarked = fake.version;
    fake.compact();
    await new Promise((resolve) => setImmediate(resolve));
    fake.endWatches();
    await vi.waitFor(() => expect(fake.seen("watch")).toHaveLength(2));
    expect(lastWatchedFrom(fake)).toBe(bookmarked);
    expect(lists(fake)).toBe(1);
  });

  test("I5 a list older than what was seen is not believed, until it is certain that history went back", async () => {
    const { fake, informer } = await setUp({ backoff: { initialMs: 50, maxMs: 50 } });
    fake.rewind(50);
    fake.put("a", { color: "restored" }, { quiet: true });
    fake.sendRaw(expired);
    await vi.waitFor(() => expect(informer.state.message).toContain("older"), { interval: 5 });
    expect(informer.store.get("default/a")?.["color"]).toBeUndefined();
    await vi.waitFor(() => expect(informer.store.get("default/a")?.["color"]).toBe("restored"));
    expect(lists(fake)).toBe(1 + 6);
  });
});

describe("silence", () => {
  test("fault 9: a watch without a byte is given up and opened again from the same place", async () => {
    const { fake, informer } = await setUp({ inactivityMs: 100 });
    const from = fake.version;
    await vi.waitFor(() => expect(fake.seen("watch").length).toBeGreaterThan(1), { timeout: 3_000 });
    expect(fake.seen("watch")[1]?.query.get("resourceVersion")).toBe(from);
    fake.put("b");
    await vi.waitFor(() => expect(informer.store.size).toBe(2));
  });

  test("of a watch that was healthy is no interruption: it may be a server that has nothing to say", async () => {
    const { fake, informer } = await setUp({ inactivityMs: 100, healthyAfterMs: 50 });
    const before = informer.state;
    await vi.waitFor(() => expect(fake.seen("watch").length).toBeGreaterThan(2), { timeout: 3_000 });
    expect(informer.state).toEqual(before);
    expect(before.phase).toBe("live");
  });

  test("bookmarks keep a quiet watch alive", async () => {
    const { fake } = await setUp({ inactivityMs: 300 });
    const ticker = setInterval(() => fake.bookmark(), 50);
    onTestFinished(() => clearInterval(ticker));
    const from = Number(fake.version);
    await vi.waitFor(() => expect(Number(fake.version) - from).toBeGreaterThan(12), { timeout: 5_000 });
    expect(fake.seen("watch")).toHaveLength(1);
  });
});

// Subscriptions on the wire of both eras: who may have how many, and what a resumed session hears.
import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryBudget } from "../process/memory-budget.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createChangingTable, type ServedTable, serveChangingTable } from "./changing-table.fixture.ts";
import { type KeptSubscriptions, keepSubscriptionsInMemory } from "./kept-subscriptions.ts";
import { maxStreamsPerCaller } from "./listen-2026.ts";
import { initializeMessage, readMessages } from "./raw-client.fixture.ts";
import { flushIntervalMs } from "./subscriber.ts";
import { maxSubscriptions, maxUriChars } from "./subscription-hub.ts";
import { getStream, listen, openIn, readStream, rpc, send, subscribe } from "./subscription-wire.fixture.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(...args: Parameters<typeof serveChangingTable>) {
  const [options = {}, changing] = args;
  const clock = new ManualClock();
  const served = await serveChangingTable({ clock, ...options }, changing);
  closing.push(served.stop);
  return { ...served, clock };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => `note://many/${at}`);

async function serveMany(count: number) {
  const served = await serve();
  for (const uri of many(count)) served.put(uri, "there");
  return served;
}

describe("MGM-2 how many subscriptions there may be", () => {
  test(`${maxSubscriptions} in a session of the 2025 era, and one more is refused with the number`, async () => {
    const served = await serveMany(maxSubscriptions + 1);
    const session = await openIn(served);
    const answers = [];
    for (const uri of many(maxSubscriptions + 1)) answers.push(await subscribe(served, session, uri));
    const last = answers.pop();
    expect(answers.filter((each) => each !== undefined && "error" in each)).toEqual([]);
    expect(last).toMatchObject({ error: { code: -32602, message: expect.stringContaining("at most 1024 resources") } });
    // What is there already is not one more; what is given back makes room.
    expect(await subscribe(served, session, many(1)[0] ?? "")).toMatchObject({ result: {} });
    await (await send(served, rpc("resources/unsubscribe", { uri: many(1)[0] }), session)).text();
    expect(await subscribe(served, session, many(maxSubscriptions + 1).at(-1) ?? "")).toMatchObject({ result: {} });
  });

  test(`${maxSubscriptions} on a stream of the 2026 era, and one more is refused with the number`, async () => {
    const served = await serveMany(maxSubscriptions + 1);
    const stream = readStream(await listen(served, { resourceSubscriptions: many(maxSubscriptions) }));
    await vi.waitFor(() => expect(stream.heard).toHaveLength(1));
    expect(stream.heard[0]).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: many(maxSubscriptions) } },
    });
    const [refused] = await readMessages(await listen(served, { resourceSubscriptions: many(maxSubscriptions + 1) }));
    expect(refused).toMatchObject({ id: 7, error: { code: -32602, message: expect.stringContaining("found 1025") } });
    const twice = [...many(maxSubscriptions), ...many(maxSubscriptions)];
    expect((await listen(served, { resourceSubscriptions: twice })).headers.get("content-type")).toContain(
      "event-stream",
    );
  });

  test(`${maxStreamsPerCaller} streams of one caller in the 2026 era; a closed one makes room, and others have theirs`, async () => {
    const served = await serve();
    const filter = { resourceSubscriptions: ["note://a"] };
    const streams = [];
    for (let count = 0; count < maxStreamsPerCaller; count += 1) streams.push(readStream(await listen(served, filter)));
    const [refused] = await readMessages(await listen(served, filter));
    expect(refused).toMatchObject({ error: { message: expect.stringContaining("64 streams for one caller") } });
    const isStream = (response: Response) => response.headers.get("content-type") === "text/event-stream";
    expect(isStream(await listen(served, filter, { "x-caller": "other" }))).toBe(true);
    await streams[0]?.cancel();
    expect(isStream(await listen(served, filter))).toBe(true);
  });

  test("a URI of the greatest length is followed, and a longer one is unknown", async () => {
    const uri = `note://${"x".repeat(maxUriChars - 7)}`;
    const served = await serve();
    served.put(uri, "long");
    served.put(`${uri}x`, "longer");
    const session = await openIn(served);
    expect(await subscribe(served, session, uri)).toMatchObject({ result: {} });
    expect(await subscribe(served, session, `${uri}x`)).toMatchObject({ error: { code: -32002 } });
    const [answer] = await readMessages(await send(served, rpc("resources/read", { uri: `${uri}x` }), session));
    expect(answer).toMatchObject({ error: { code: -32002 } });
  });
});

describe("MGM-2 subscriptions of the 2025 era", () => {
  test("to give one back that was never there does nothing", async () => {
    const served = await serve();
    const session = await openIn(served);
    const answers = await readMessages(
      await send(served, rpc("resources/unsubscribe", { uri: "note://none" }), session),
    );
    expect(answers).toEqual([{ jsonrpc: "2.0", id: 7, result: {} }]);
  });

  test("are over with their session", async () => {
    const served = await serve({ isResumable: async () => true });
    const session = await openIn(served);
    await subscribe(served, session, "note://a");
    await (await served.request({ method: "DELETE", headers: session })).text();
    const stream = readStream(await getStream(served, session));
    served.put("note://a", "changed");
    served.announceList();
    await vi.waitFor(async () => {
      await served.clock.advance(flushIntervalMs);
      expect(stream.heard.length).toBeGreaterThan(0);
    });
    expect(stream.uris()).toEqual([]);
  });

  test("are not offered where no session is open", async () => {
    const served = await serve({ opensSessions: async () => false });
    const [answer] = await readMessages(await send(served, initializeMessage));
    expect(answer).toMatchObject({ result: { capabilities: { resources: {}, tools: {} } } });
    expect(JSON.stringify(answer)).not.toMatch(/subscribe|listChanged/);
    const [refused] = await readMessages(await send(served, rpc("resources/subscribe", { uri: "note://a" })));
    expect(refused).toMatchObject({ error: { code: -32601 } });
  });
});

describe("MGM-2 a session that is resumed", () => {
  async function resumed(kept: KeptSubscriptions, between: (served: ServedTable) => void = () => undefined) {
    const changing = createChangingTable();
    const options = { isResumable: async () => true, keptSubscriptions: kept };
    const first = await serve(options, changing);
    const session = await openIn(first, { "x-caller": "admin" });
    for (const uri of ["note://a", "note://secret/x"]) await subscribe(first, session, uri);
    await first.endpoint.close();
    between(first);
    const second = await serve(options, changing);
    const stream = readStream(await getStream(second, session));
    await second.clock.advance(flushIntervalMs);
    return { second, stream };
  }

  test("by another process keeps what it subscribed to, and hears of all of it, since changes may have been missed", async () => {
    const { second, stream } = await resumed(keepSubscriptionsInMemory());
    await vi.waitFor(() => expect(stream.uris()).toEqual(["note://a", "note://secret/x"]));
    second.put("note://a", "changed");
    await second.clock.advance(flushIntervalMs);
    await vi.waitFor(() => expect(stream.uris()).toHaveLength(3));
  });

  test("loses what its caller may not read any more", async () => {
    const { second, stream } = await resumed(keepSubscriptionsInMemory(), (first) => first.setAdmin(false));
    await vi.waitFor(() => expect(stream.uris()).toEqual(["note://a"]));
    second.put("note://secret/x", "changed");
    second.put("note://a", "changed");
    await second.clock.advance(flushIntervalMs);
    await vi.waitFor(() => expect(stream.uris()).toEqual(["note://a", "note://a"]));
  });

  test("after it has idled out keeps what it subscribed to, without any store", async () => {
    const served = await serve({ isResumable: async () => true });
    const session = await openIn(served);
    await subscribe(served, session, "note://a");
    await served.clock.advance(60_000);
    expect(served.endpoint.sessionCount()).toBe(0);
    const stream = readStream(await getStream(served, session));
    await served.clock.advance(flushIntervalMs);
    await vi.waitFor(() => expect(stream.uris()).toEqual(["note://a"]));
  });

  test("is not resumed while nobody can say what it subscribed to: 503, so that the client keeps it", async () => {
    const kept = { load: () => Promise.reject(new Error("disk gone")), save: () => undefined };
    const served = await serve({ isResumable: async () => true, keptSubscriptions: kept });
    const session = await openIn(served);
    await served.clock.advance(60_000);
    expect((await getStream(served, session)).status).toBe(503);
  });

  test("with its stream broken and opened again, it hears of all it subscribed to", async () => {
    const served = await serve();
    const session = await openIn(served);
    await subscribe(served, session, "note://a");
    const broken = readStream(await getStream(served, session));
    await broken.cancel();
    const stream = readStream(await getStream(served, session));
    await served.clock.advance(flushIntervalMs);
    await vi.waitFor(() => expect(stream.uris()).toEqual(["note://a"]));
  });
});

describe("MGM-2 a stream of the 2026 era", () => {
  test("takes nothing of the memory for bodies while it lasts, however much it asked for", async () => {
    const bodyBudget = createMemoryBudget(100_000);
    const served = await serve({ bodyBudget });
    const uris = Array.from({ length: 500 }, (_, at) => `note://none/${"x".repeat(100)}${at}`);
    const response = await listen(served, { resourceSubscriptions: ["note://a", ...uris] });
    expect([response.headers.get("content-type"), bodyBudget.heldBytes()]).toEqual(["text/event-stream", 0]);
  });

  test("acknowledges only what its caller may read, and carries its id in all that it says", async () => {
    const served = await serve();
    const filter = {
      resourceSubscriptions: ["note://a", "note://secret/x", "note://none"],
      toolsListChanged: true,
      resourcesListChanged: false,
      promptsListChanged: true,
    };
    const stream = readStream(await listen(served, filter));
    await vi.waitFor(() => expect(stream.heard).toHaveLength(1));
    const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    expect(stream.heard[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["note://a"] }, _meta },
    });
    served.put("note://secret/x", "changed");
    served.put("note://a", "changed");
    served.announceList();
    await served.clock.advance(flushIntervalMs);
    const update = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "note://a", _meta } };
    await vi.waitFor(() => expect(stream.heard.slice(1)).toEqual([update]));
  });

  test("that would carry nothing is acknowledged and ended", async () => {
    const served = await serve();
    const messages = await readMessages(await listen(served, { resourceSubscriptions: ["note://none"] }));
    expect(messages).toMatchObject([
      { method: "notifications/subscriptions/acknowledged", params: { notifications: {} } },
      { id: 7, result: { resultType: "complete" } },
    ]);
  });

  test("is ended with a result when the endpoint closes, and nothing listens to the sources after it", async () => {
    const served = await serve();
    const response = await listen(served, { resourceSubscriptions: ["note://a"] });
    await served.endpoint.close();
    expect((await readMessages(response)).at(-1)).toMatchObject({ id: 7, result: { resultType: "complete" } });
    expect(served.listeners()).toBe(0);
  });

  test.each([undefined, null, 7, [], { resourceSubscriptions: "note://a" }, { resourceSubscriptions: [7] }])(
    "is refused for a filter that is none: %j",
    async (filter) => {
      const [answer] = await readMessages(await listen(await serve(), filter));
      expect(answer).toMatchObject({ error: { code: -32602 } });
    },
  );

  test("is kept alive while nothing changes", async () => {
    const served = await serve();
    const response = await listen(served, { resourceSubscriptions: ["note://a"] });
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    await served.clock.advance(15_000);
    expect(new TextDecoder().decode((await next)?.value)).toBe(": keep-alive\n\n");
  });
});

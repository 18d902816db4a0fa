import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { EventBuffer, type EventLimits, type SessionEvents } from "./event-buffer.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

const answer = (text: string, id = 1): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: { text } });
const entryBytes = (message: JSONRPCMessage) => JSON.stringify(message).length + 256;

function createBuffer(limits: Partial<EventLimits> = {}) {
  const clock = new ManualClock();
  return { clock, buffer: new EventBuffer({ maxBytes: 100_000, maxAgeMs: 1_000, ...limits }, clock) };
}

async function replay(events: SessionEvents, lastEventId: string): Promise<JSONRPCMessage[]> {
  const sent: JSONRPCMessage[] = [];
  await events.replayEventsAfter(lastEventId, { send: async (_id, message) => void sent.push(message) });
  return sent;
}

describe("AGT-6 events of a broken stream", () => {
  it("are repeated after the last one that arrived, those of other streams are not", async () => {
    const events = createBuffer().buffer.openSession();
    const first = await events.storeEvent("a", answer("one"));
    await events.storeEvent("b", answer("of another stream"));
    await events.storeEvent("a", answer("two"));
    await events.storeEvent("a", answer("three"));
    expect(await replay(events, first)).toEqual([answer("two"), answer("three")]);
    expect(await events.getStreamIdForEventId?.(first)).toBe("a");
  });

  it("are not seen by another session, nor after their own has ended", async () => {
    const { buffer } = createBuffer();
    const [mine, yours] = [buffer.openSession(), buffer.openSession()];
    const id = await mine.storeEvent("a", answer("secret"));
    expect(await yours.getStreamIdForEventId?.(id)).toBeUndefined();
    await expect(replay(yours, id)).rejects.toThrow("not kept");
    mine.drop();
    expect(await mine.getStreamIdForEventId?.(id)).toBeUndefined();
    expect(buffer.heldBytes).toBe(0);
  });

  it("have ids that no other process gives: one of before a restart is unknown", async () => {
    const [before, after] = [createBuffer().buffer.openSession(), createBuffer().buffer.openSession()];
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push(await before.storeEvent("a", answer("asked before")));
      ids.push(await after.storeEvent("b", answer("asked after")));
    }
    expect(new Set(ids).size).toBe(6);
    await expect(replay(after, ids[0] ?? "")).rejects.toThrow("not kept");
  });

  it("of which there are more than nine are repeated in order, and none before the last that arrived", async () => {
    const events = createBuffer().buffer.openSession();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await events.storeEvent("a", answer(`${n}`)));
    expect(await replay(events, ids[8] ?? "")).toEqual(["9", "10", "11"].map((text) => answer(text)));
  });

  it("go when they are too old, at the limit and not before", async () => {
    const { clock, buffer } = createBuffer();
    const events = buffer.openSession();
    const id = await events.storeEvent("a", answer("old"));
    await clock.advance(999);
    expect(await events.getStreamIdForEventId?.(id)).toBe("a");
    await clock.advance(1);
    expect(await events.getStreamIdForEventId?.(id)).toBeUndefined();
  });

  it("never take more bytes than the limit; the oldest make room", async () => {
    const room = 4 * entryBytes(answer("x"));
    const { buffer } = createBuffer({ maxBytes: room });
    const sessions = [buffer.openSession(), buffer.openSession()];
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await sessions[n % 2]?.storeEvent("a", answer("x"))) ?? "");
    expect(buffer.heldBytes).toBe(room);
    const found = await Promise.all(ids.map(async (id, n) => sessions[n % 2]?.getStreamIdForEventId?.(id)));
    expect(found).toEqual([undefined, "a", "a", "a", "a"]);
  });

  it("of a busy session take no room from others while they hold no more than their share", async () => {
    const room = 8 * entryBytes(answer("x"));
    const { buffer } = createBuffer({ maxBytes: room });
    const [quiet, other, busy] = [buffer.openSession(), buffer.openSession(), buffer.openSession()];
    const kept = [await quiet.storeEvent("q", answer("x")), await quiet.storeEvent("q", answer("y"))];
    const others = [await other.storeEvent("o", answer("x")), await other.storeEvent("o", answer("y"))];
    const ids: string[] = [];
    for (let n = 0; n < 50; n += 1) ids.push(await busy.storeEvent("b", answer("x")));
    expect(buffer.heldBytes).toBe(room);
    expect(await replay(quiet, kept[0] ?? "")).toEqual([answer("y")]);
    expect(await replay(other, others[0] ?? "")).toEqual([answer("y")]);
    const known = await Promise.all(ids.map(async (id) => busy.getStreamIdForEventId?.(id)));
    expect(known.map((streamId) => streamId !== undefined)).toEqual(ids.map((_, n) => n >= 46));
    // With the busy one gone there is room for all.
    busy.drop();
    expect(buffer.heldBytes).toBe(4 * entryBytes(answer("x")));
  });

  it("an answer too large to keep is repeated as an error, so that nobody waits for it", async () => {
    const events = createBuffer({ maxBytes: 4_000 }).buffer.openSession();
    const id = await events.storeEvent("a", answer("first"));
    await events.storeEvent("a", answer("x".repeat(2_000), 7));
    const progress: JSONRPCMessage = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: 1, message: "x".repeat(2_000) },
    };
    await events.storeEvent("a", progress);
    expect(await replay(events, id)).toEqual([
      { jsonrpc: "2.0", id: 7, error: { code: -32_000, message: expect.stringContaining("too large") } },
    ]);
  });
});

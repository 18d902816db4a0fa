import { describe, expect, test } from "vitest";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { type ChangeNotification, flushIntervalMs, maxStallMs, Subscriber } from "./subscriber.ts";

const requester = { caller: "anyone" } as const;

function start(mayRead: (uri: string) => boolean = () => true) {
  const clock = new ManualClock();
  const lists = new Set(["tools", "resources"] as const);
  const subscriber = new Subscriber({ requester, lists, mayRead, clock });
  return { clock, subscriber };
}

function createStream(subscriber: Subscriber) {
  const stream = { isRead: true, sent: [] as string[][], stalled: 0 };
  const attached = subscriber.attach({
    isTaken: () => stream.isRead,
    send: (notifications) => void stream.sent.push(notifications.map(nameOf)),
    endStalled: () => void (stream.stalled += 1),
  });
  return Object.assign(stream, attached);
}

const nameOf = (each: ChangeNotification) =>
  each.method === "notifications/resources/updated" ? each.params.uri : each.method;

describe("MGM-2 a reader of changes", () => {
  test("hears of the first at once, and of all that come in the time after it together, each once", async () => {
    const { clock, subscriber } = start();
    const stream = createStream(subscriber);
    for (const uri of ["a", "b"]) subscriber.add(uri);
    subscriber.owe("a");
    await clock.advance(0);
    expect(stream.sent).toEqual([["a"]]);
    for (let count = 0; count < 1_000; count += 1) {
      subscriber.owe("a");
      subscriber.owe("b");
    }
    await clock.advance(flushIntervalMs - 1);
    expect(stream.sent).toHaveLength(1);
    await clock.advance(1);
    expect(stream.sent).toEqual([["a"], ["a", "b"]]);
    await clock.advance(10 * flushIntervalMs);
    expect([stream.sent.length, clock.pending]).toEqual([2, []]);
  });

  test("that takes nothing is owed each resource once, and hears of it when it goes on", async () => {
    const { clock, subscriber } = start();
    const stream = createStream(subscriber);
    for (const uri of ["a", "b"]) subscriber.add(uri);
    stream.isRead = false;
    subscriber.owe("a");
    await clock.advance(5_000);
    subscriber.owe("b");
    subscriber.owe("a");
    await clock.advance(5_000);
    expect(stream.sent).toEqual([]);
    stream.isRead = true;
    stream.onTaken();
    await clock.advance(flushIntervalMs);
    expect(stream.sent).toEqual([["a", "b"]]);
    await clock.advance(2 * maxStallMs);
    expect(stream.stalled).toBe(0);
  });

  test("loses its stream when it has taken nothing of what it is owed for the limit, and not sooner", async () => {
    const { clock, subscriber } = start();
    const stream = createStream(subscriber);
    subscriber.add("a");
    stream.isRead = false;
    await clock.advance(2 * maxStallMs);
    subscriber.owe("a");
    await clock.advance(maxStallMs - 1);
    expect(stream.stalled).toBe(0);
    subscriber.owe("a");
    await clock.advance(1);
    expect(stream.stalled).toBe(1);
    const next = createStream(subscriber);
    await clock.advance(flushIntervalMs);
    expect([next.sent[0]?.includes("a"), stream.sent]).toEqual([true, []]);
  });

  test("that takes something now and then keeps its stream", async () => {
    const { clock, subscriber } = start();
    const stream = createStream(subscriber);
    subscriber.add("a");
    stream.isRead = false;
    subscriber.owe("a");
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(maxStallMs - 1_000);
      stream.onTaken();
    }
    expect(stream.stalled).toBe(0);
  });

  test("without a stream is owed what changed, and gets it on the first", async () => {
    const { clock, subscriber } = start();
    for (const uri of ["a", "b"]) subscriber.add(uri);
    subscriber.owe("a");
    await clock.advance(60_000);
    const stream = createStream(subscriber);
    await clock.advance(0);
    expect(stream.sent).toEqual([["a"]]);
  });

  test("on a stream after another is told of all it follows, since the other's news may be lost", async () => {
    const { clock, subscriber } = start();
    for (const uri of ["a", "b"]) subscriber.add(uri);
    const first = createStream(subscriber);
    first.detach();
    const second = createStream(subscriber);
    await clock.advance(0);
    const lists = ["notifications/tools/list_changed", "notifications/resources/list_changed"];
    expect([first.sent, second.sent]).toEqual([[], [[...lists, "a", "b"]]]);
    // The end of the first comes late.
    first.detach();
    subscriber.owe("a");
    await clock.advance(flushIntervalMs);
    expect(second.sent).toHaveLength(2);
  });

  test("hears once that something can no longer be read, then nothing, and again when it can", async () => {
    const readable = new Set(["a"]);
    const { clock, subscriber } = start((uri) => readable.has(uri));
    subscriber.add("a");
    const stream = createStream(subscriber);
    const change = async () => {
      subscriber.owe("a");
      await clock.advance(flushIntervalMs);
      return stream.sent.length;
    };
    expect(await change()).toBe(1);
    readable.delete("a");
    expect([await change(), await change(), await change()]).toEqual([2, 2, 2]);
    readable.add("a");
    expect(await change()).toBe(3);
  });

  test("hears nothing of what it does not follow any more, though it was owed", async () => {
    const { clock, subscriber } = start();
    subscriber.add("a");
    const stream = createStream(subscriber);
    subscriber.owe("a");
    subscriber.delete("a");
    await clock.advance(flushIntervalMs);
    expect(stream.sent).toEqual([]);
  });

  test("leaves no timer behind when it is closed", async () => {
    const { clock, subscriber } = start();
    subscriber.add("a");
    const stream = createStream(subscriber);
    stream.isRead = false;
    subscriber.owe("a");
    await clock.advance(1);
    subscriber.close();
    expect(clock.pending).toEqual([]);
  });
});

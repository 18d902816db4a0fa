// Readers that stand still, in both eras. In process, a body that is not read stands still at once; over HTTP only when the
// buffers between are full.
import { connect } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { type ServedTable, serveChangingTable } from "./changing-table.fixture.ts";
import { bothTypes, openSession } from "./raw-client.fixture.ts";
import { flushIntervalMs, maxStallMs } from "./subscriber.ts";
import {
  getStream,
  type Headers,
  listen,
  listenRequest,
  openIn,
  readStream,
  subscribe,
} from "./subscription-wire.fixture.ts";

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

/** A stream of either era that follows these. */
const eras = [
  {
    era: "2025",
    async follow(served: ServedTable, uris: readonly string[]) {
      const session = await openIn(served);
      for (const uri of uris) await subscribe(served, session, uri);
      return await getStream(served, session);
    },
  },
  {
    era: "2026",
    follow: (served: ServedTable, uris: readonly string[]) => listen(served, { resourceSubscriptions: uris }),
  },
] as const;

describe.each(eras)("MGM-2 a reader of the $era era that stands still", ({ follow }) => {
  test("holds up nobody, is sent each resource once when it goes on, and keeps its stream if that is in time", async () => {
    const served = await serve();
    const stopped = await follow(served, ["note://a", "note://b"]);
    const other = readStream(await follow(served, ["note://a"]));
    for (let round = 0; round < 100; round += 1) {
      served.put("note://a", `round ${round}`);
      if (round % 2 === 0) served.put("note://b", `round ${round}`);
      await served.clock.advance(flushIntervalMs);
    }
    await vi.waitFor(() => expect(other.uris()).toHaveLength(100));
    const stream = readStream(stopped);
    await vi.waitFor(async () => {
      await served.clock.advance(flushIntervalMs);
      expect(stream.uris()).toContain("note://b");
    });
    // Before it stood still, or what its first buffers took, and once since.
    expect(stream.uris().length).toBeLessThan(10);
    served.put("note://a", "after it");
    const before = stream.uris().length;
    await served.clock.advance(flushIntervalMs);
    await vi.waitFor(() => expect(stream.uris().slice(before)).toEqual(["note://a"]));
  });

  test("loses its stream after the limit, and its place", async () => {
    const served = await serve();
    const stopped = await follow(served, ["note://a"]);
    for (let round = 0; round < 10; round += 1) {
      served.put("note://a", `round ${round}`);
      await served.clock.advance(flushIntervalMs);
    }
    await served.clock.advance(maxStallMs);
    await expect(stopped.text()).rejects.toThrow("has not read its stream");
    expect(served.logLines.filter((line) => line.includes("ERROR"))).toEqual([]);
  });

  test("has its connection closed after the limit, though the network would hold it open", async () => {
    const uris = Array.from({ length: 500 }, (_, at) => `note://${at}/${"x".repeat(2_000)}`);
    const served = await serve();
    for (const uri of uris) served.put(uri, "there");
    const { hostname, port } = new URL(served.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    closing.push(async () => void socket.destroy());
    socket.pause();
    socket.on("error", () => undefined);
    await writeFollowing(served, uris, follow === eras[0].follow, (text) => socket.write(text));
    const isClosed = closed.then(() => true);
    let over = false;
    void isClosed.then(() => (over = true));
    await vi.waitFor(async () => {
      for (const uri of uris) served.put(uri, "changed");
      await served.clock.advance(flushIntervalMs);
      // A socket that is paused notices only its writing side.
      await served.clock.advance(maxStallMs / 50);
      socket.write("\r\n");
      expect(over).toBe(true);
    });
    expect(served.logLines.filter((line) => line.includes("ERROR"))).toEqual([]);
  }, 30_000);
});

/** Subscribes, and asks for the stream on a connection of its own. */
async function writeFollowing(
  served: ServedTable,
  uris: readonly string[],
  is2025: boolean,
  write: (text: string) => void,
): Promise<void> {
  const head = (method: string, headers: Headers) =>
    `${method} /mcp HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`;
  if (is2025) {
    const session = await openSession(served.url);
    for (const uri of uris) await subscribe(served, session, uri);
    write(head("GET", { accept: "text/event-stream", ...session }));
    return;
  }
  const { message, headers } = listenRequest({ resourceSubscriptions: uris });
  const body = JSON.stringify(message);
  write(head("POST", { ...bothTypes, ...headers, "content-length": String(Buffer.byteLength(body)) }) + body);
}

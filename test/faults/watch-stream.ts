// The answer to a watch, event by event, with the faults that befall events. Cuts lines on bytes and passes them on
// unread, apart from the event's type and its object's name.

import { setTimeout as delay } from "node:timers/promises";

import type { ApiRequest } from "./api-request.ts";
import type { FaultRules } from "./fault-rules.ts";

/** Where the client reads. */
export interface WatchSink {
  /** Resolves when more can be written; at once when the client is gone. */
  write(bytes: Buffer): Promise<void>;
  /** In an orderly way. */
  end(): void;
  /** TCP RST, after what was written has arrived. */
  reset(): void;
}

const maxLineBytes = 16 * 1024 * 1024;
const lineBreak = Buffer.from("\n");
const garbage = Buffer.from('{"type":"MODIFIED","obj\u0000ect":<html>502 Bad Gateway</html>\n');
const expired = Buffer.from(
  `${JSON.stringify({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "too old resource version",
      reason: "Expired",
      code: 410,
    },
  })}\n`,
);
/** A line longer than this is split into pieces of so many bytes at once, so that it arrives within a second or so. */
const splitPieces = 400;

/** Relays until the server ends the stream, a fault does, or `sink` is gone; then the sink is ended, unless it was reset. */
export async function relayWatch(
  request: ApiRequest,
  stream: AsyncIterable<Buffer>,
  sink: WatchSink,
  rules: FaultRules,
): Promise<void> {
  let isSilent = false;
  for await (const line of splitLines(stream)) {
    if (isSilent) continue;
    const { name, isBookmark } = readEvent(line);
    const strike = rules.takeForEvent({ ...request, name }, isBookmark);
    switch (strike?.action.kind) {
      case undefined:
        await sink.write(line);
        break;
      case "truncate-event":
        await sink.write(line.subarray(0, line.length / 2));
        return sink.reset();
      case "expire":
        await sink.write(expired);
        return sink.end();
      case "silence":
        isSilent = true;
        break;
      case "duplicate":
        await sink.write(line);
        await sink.write(line);
        break;
      case "withhold":
        void strike?.released.then(() => sink.write(line));
        break;
      case "garbage":
        await sink.write(garbage);
        break;
      case "split":
        await writeInPieces(line, sink);
    }
  }
  if (!isSilent) sink.end();
}

async function writeInPieces(line: Buffer, sink: WatchSink): Promise<void> {
  const step = Math.max(1, Math.floor(line.length / splitPieces));
  for (let at = 0; at < line.length; at += step) {
    await sink.write(line.subarray(at, at + step));
    await delay(1); // else the system joins the pieces again
  }
}

function readEvent(line: Buffer): { name: string | undefined; isBookmark: boolean } {
  const { type, object } = JSON.parse(line.toString());
  const name: unknown = object?.metadata?.name;
  return { name: typeof name === "string" ? name : undefined, isBookmark: type === "BOOKMARK" };
}

/** Lines with their line break. Throws for one longer than `maxBytes`. */
export async function* splitLines(
  stream: AsyncIterable<Buffer>,
  maxBytes = maxLineBytes,
): AsyncGenerator<Buffer, void, undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak)) {
      yield rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > maxBytes) throw new Error(`expected watch lines of at most ${maxBytes} bytes, found more`);
  }
}

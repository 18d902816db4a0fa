// One event stream to a client, of messages as they came. A client that does not read costs a bounded amount of memory: then its
// stream is cut off.
import { StalledReader } from "../../lib/process/event-stream.ts";

const encoder = new TextEncoder();
const keepAlive = encoder.encode(": keep-alive\n\n");

const maxQueuedBytes = 4 * 1024 * 1024;

export interface EventSink {
  readonly body: ReadableStream<Uint8Array>;
  /** False when nobody reads any more. */
  send(text: string): boolean;
  /** A comment, so that proxies do not take the stream for dead. */
  keepAlive(): void;
  close(): void;
}

/** @param onEnd heard once, when the client has gone or the stream is closed */
export function openEventSink(onEnd: () => void): EventSink {
  let isOpen = true;
  let sink: ReadableStreamDefaultController<Uint8Array>;
  const finish = () => {
    if (!isOpen) return;
    isOpen = false;
    onEnd();
  };
  const put = (bytes: Uint8Array): boolean => {
    if (!isOpen) return false;
    // A single message may be longer than the queue: it is judged by what is before it.
    if ((sink.desiredSize ?? 0) <= 0) {
      sink.error(new StalledReader());
      finish();
      return false;
    }
    sink.enqueue(bytes);
    return true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (sink = controller),
      cancel: finish,
    },
    { highWaterMark: maxQueuedBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  return {
    body,
    send: (text) => put(encoder.encode(`event: message\ndata: ${text}\n\n`)),
    keepAlive: () => void put(keepAlive),
    close() {
      if (isOpen) sink.close();
      finish();
    },
  };
}

export const eventStreamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

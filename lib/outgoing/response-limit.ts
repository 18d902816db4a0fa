/** Caps what a server may make us hold in memory: a whole body, or one event of a stream (SEC-6). */

import { isEventStream } from "../process/event-stream.ts";

/** Thrown while reading a body. Its code puts it among network faults. */
class ResponseLimitError extends Error {
  override readonly name = "ResponseLimitError";
  readonly code = "ERESPONSELIMIT";
}

/** An answer as undici gives it; its types and those of the platform's Response do not meet. */
interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<[string, string]>;
  readonly body: { getReader(): ByteReader } | null;
}

interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** `answer` with a body that fails once it, or one of its events, exceeds `limitBytes`. Exactly `limitBytes` pass. */
export function limitResponse({ status, statusText, headers, body }: Answer, limitBytes: number): Response {
  const init = { status, statusText, headers: [...headers] };
  if (body === null) {
    return new Response(null, init);
  }
  const isStream = isEventStream(new Headers(init.headers));
  const count = isStream ? createEventCounter() : createByteCounter();
  const reader = body.getReader();
  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done || value === undefined) {
        controller.close();
        return;
      }
      if (count(value) > limitBytes) {
        const what = isStream ? "one event of the stream" : "the response";
        const error = new ResponseLimitError(`${what} is over the limit of ${limitBytes} bytes`);
        reader.cancel(error).catch(() => undefined);
        throw error;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(limited, init);
}

/** Returns the most bytes that a reader of the stream so far would have to hold at once. */
type Counter = (chunk: Uint8Array) => number;

function createByteCounter(): Counter {
  let totalBytes = 0;
  return (chunk) => (totalBytes += chunk.length);
}

/** Counts the bytes of the running event, its line ends included; an empty line ends an event. */
function createEventCounter(): Counter {
  const [lineFeed, carriageReturn] = [10, 13];
  let eventBytes = 0;
  let lineBytes = 0;
  let lastByte = 0;
  return (chunk) => {
    let mostBytes = 0;
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      lineBytes += at - from;
      eventBytes += at - from + 1;
      mostBytes = Math.max(mostBytes, eventBytes);
      const before = at === 0 ? lastByte : chunk[at - 1];
      if (lineBytes === 0 || (lineBytes === 1 && before === carriageReturn)) {
        eventBytes = 0;
      }
      lineBytes = 0;
      from = at + 1;
    }
    lineBytes += chunk.length - from;
    eventBytes += chunk.length - from;
    lastByte = chunk.at(-1) ?? lastByte;
    return Math.max(mostBytes, eventBytes);
  };
}

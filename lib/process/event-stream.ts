// Event streams on their way out. What is there at once is sent at once: the adapter would write each event by itself, and
// hold the first for a millisecond to see whether a second comes.
import type { OutgoingHttpHeaders } from "node:http";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/** More than this is not put together. */
const maxGatheredBytes = 256 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** What a stream fails with whose client does not read it: the connection is closed at once, and it is nobody's problem here. */
export class StalledReader extends Error {
  override readonly name = "StalledReader";

  constructor() {
    super("the client has not read its stream for too long");
  }
}

export const isEventStream = (headers: Headers): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/**
 * Sends the events in one piece if they end within a turn of the event loop; what it resolves to then leaves the adapter
 * nothing to do. Else it is a stream that begins with those which were there. A stream that fails ends there, and `onError`
 * hears why; the adapter would print the error and tell the client.
 */
export async function sendEvents(
  response: Response,
  outgoing: Outgoing,
  onError: (error: unknown) => void,
): Promise<Response> {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const gathered = await gather(reader);
  if (!gathered.isWhole) {
    // Seen even while the client reads nothing, and so nothing is asked of the stream.
    reader.closed.catch((error) => {
      if (error instanceof StalledReader) outgoing.destroy();
    });
    return new Response(continueStream(reader, gathered, onError), response);
  }
  const body = Buffer.concat(gathered.ready);
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "content-length": body.length });
  // As text it goes out in one write with the headers; latin1 leaves each byte as it is.
  outgoing.end(body.toString("latin1"), "latin1");
  return RESPONSE_ALREADY_SENT;
}

interface Outgoing {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  end(text: string, encoding: BufferEncoding): unknown;
  destroy(): unknown;
}

interface Gathered {
  readonly ready: Uint8Array[];
  next: ReturnType<Reader["read"]>;
  isWhole: boolean;
}

async function gather(reader: Reader): Promise<Gathered> {
  const gathered: Gathered = { ready: [], next: reader.read(), isWhole: false };
  let isOver = false;
  const fill = async () => {
    for (let bytes = 0; bytes <= maxGatheredBytes;) {
      const { done, value } = await gathered.next;
      if (isOver) return;
      gathered.isWhole = done;
      if (done) return;
      gathered.ready.push(value);
      bytes += value.length;
      gathered.next = reader.read();
    }
  };
  // A failure is met again by whoever reads on.
  await Promise.race([fill().catch(() => undefined), turnOfLoop()]);
  isOver = true;
  return gathered;
}

function continueStream(
  reader: Reader,
  { ready, next }: Gathered,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let begun: Gathered["next"] | undefined = next;
  let cancelled = false;
  return new ReadableStream({
    start(controller) {
      if (ready.length > 0) controller.enqueue(Buffer.concat(ready));
    },
    async pull(controller) {
      try {
        const { done, value } = await (begun ?? reader.read());
        begun = undefined;
        // The client may have gone while this read was waiting; the stream is closed then.
        if (cancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (cancelled) return;
        if (!(error instanceof StalledReader)) onError(error);
        controller.close();
      }
    },
    cancel(reason) {
      cancelled = true;
      return reader.cancel(reason);
    },
  });
}

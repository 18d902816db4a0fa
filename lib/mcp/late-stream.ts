// An answer that keeps its client waiting becomes an event stream with keep-alive comments, which carry it past the header
// timeouts of proxies and clients; one that comes at once keeps its own form and HTTP status.
import { setTimeout as sleep } from "node:timers/promises";
import { isEventStream } from "../process/event-stream.ts";

export interface LateStreamOptions {
  /** How long the answer may take before the stream is opened without it. */
  patienceMs: number;
  keepAliveMs: number;
}

const encoder = new TextEncoder();
const headers = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/** `pending`, or when that is late a stream which ends with it. What it rejects with is thrown if early, else ends the stream. */
export async function streamWhenLate(pending: Promise<Response>, options: LateStreamOptions): Promise<Response> {
  const waiting = new AbortController();
  const late = sleep(options.patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return (
      (await Promise.race([pending, late])) ?? new Response(renderStream(pending, options.keepAliveMs), { headers })
    );
  } finally {
    waiting.abort();
  }
}

function renderStream(pending: Promise<Response>, keepAliveMs: number): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let cancelled = false;
  return new ReadableStream({
    start(controller) {
      const keepAlive = () => controller.enqueue(encoder.encode(": keep-alive\n\n"));
      keepAlive();
      timer = setInterval(keepAlive, keepAliveMs).unref();
    },
    async pull(controller) {
      try {
        reader ??= (await openEvents(await pending)).getReader();
        clearInterval(timer);
        const { done, value } = await reader.read();
        if (cancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        clearInterval(timer);
        if (!cancelled) controller.error(error);
      }
    },
    async cancel(reason) {
      // The request's own signal cancels the call; here only what is on its way is dropped.
      cancelled = true;
      clearInterval(timer);
      await reader?.cancel(reason);
    },
  });
}

async function openEvents(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.body !== null && isEventStream(response.headers)) return response.body;
  return new Blob([`event: message\ndata: ${await response.text()}\n\n`]).stream();
}

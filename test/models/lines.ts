// The two lines on which the mock answers: a socket, and a fetch inside this process that behaves like one.
import type { ServerResponse } from "node:http";
import type { JournalEntry } from "./journal.ts";
import type { Line } from "./play-reply.ts";

interface LineOptions {
  entry: JournalEntry;
  now: () => number;
  closing: AbortSignal;
}

/** A line over a socket. */
export function createSocketLine(response: ServerResponse, { entry, now, closing }: LineOptions): Line {
  const gone = new AbortController();
  const onClose = () => {
    if (entry.endedAtMs === undefined && !closing.aborted) entry.closedByClientAtMs = now();
    gone.abort();
  };
  // A client can leave while its request is still being read.
  if (response.closed || response.destroyed) onClose();
  else response.on("close", onClose);
  return {
    signal: AbortSignal.any([gone.signal, closing]),
    head: (status, headers) => void response.writeHead(status, headers),
    send: (frame) => new Promise((resolve) => response.write(frame, () => resolve())),
    end: () => {
      entry.endedAtMs ??= now();
      response.end();
    },
    cut: () => {
      entry.endedAtMs ??= now();
      response.destroy();
    },
  };
}

/** A line to a fetch in this process; `response` settles as that fetch would. */
export function createFetchLine(
  client: AbortSignal,
  { entry, now, closing }: LineOptions,
): { line: Line; response: Promise<Response> } {
  const answered = Promise.withResolvers<Response>();
  const encoder = new TextEncoder();
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const fail = (error: unknown) => {
    answered.reject(error);
    body?.error(error);
  };
  const isOpen = () => entry.endedAtMs === undefined && entry.closedByClientAtMs === undefined;
  const leave = (reason: unknown) => {
    if (!isOpen()) return;
    entry.closedByClientAtMs = now();
    fail(reason);
  };
  const cut = () => {
    if (!isOpen()) return;
    entry.endedAtMs = now();
    const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    fail(new TypeError(body === undefined ? "fetch failed" : "terminated", { cause }));
  };
  if (client.aborted) leave(client.reason);
  client.addEventListener("abort", () => leave(client.reason), { once: true });
  closing.addEventListener("abort", cut, { once: true });
  const line: Line = {
    signal: AbortSignal.any([client, closing]),
    head(status, headers) {
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (body = controller),
        cancel: leave,
      });
      answered.resolve(new Response(stream, { status, headers }));
    },
    async send(frame) {
      if (isOpen()) body?.enqueue(typeof frame === "string" ? encoder.encode(frame) : frame);
    },
    end() {
      if (!isOpen()) return;
      entry.endedAtMs = now();
      body?.close();
    },
    cut,
  };
  return { line, response: answered.promise };
}

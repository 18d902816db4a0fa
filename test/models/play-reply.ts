// Plays one scripted reply on a line to a client: waits, frames, cuts, silence. Knows neither HTTP nor sockets.
import type { Frame } from "./answer-parts.ts";
import type { ServedRequest } from "./journal.ts";
import type { ScriptedReply } from "./script.ts";
import { renderVendorError, vendorOf } from "./vendor-errors.ts";
import type { Refusal } from "./vendors/judge.ts";
import { readCall, renderErrorFrame, renderFrames, renderWhole, streamTypeOf, type Protocol } from "./wire.ts";

/** One answer on its way to a client. After `signal` aborts nothing that is sent arrives. */
export interface Line {
  /** The client is gone, or the mock closes. */
  signal: AbortSignal;
  head(status: number, headers: Record<string, string>): void;
  /** Resolves when the bytes have left, so that a cut comes after them and not instead of them. */
  send(frame: Frame): Promise<void>;
  end(): void;
  cut(): void;
}

export type Wait = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** Plays a reply to its end, or leaves the line open where the reply says so. */
export async function playReply(line: Line, call: Protocol, request: ServedRequest, reply: ScriptedReply, wait: Wait) {
  if (reply.silent === true) return;
  if (reply.delayMs !== undefined) await wait(reply.delayMs, line.signal);
  if (reply.error !== undefined) return sendBody(line, { ...renderVendorError(vendorOf[call], reply.error), ...reply });
  if (reply.status !== undefined || reply.body !== undefined) return sendBody(line, reply);
  const { model, streamed } = readCall(request.path, request.body);
  if (!streamed) return sendBody(line, { ...reply, body: renderWhole(call, model, reply) });
  await sendFrames(line, call, renderFrames(call, model, reply), reply, wait);
}

/** Sends what a vendor answers to a request that it refuses. */
export async function playRefusal(line: Line, call: Protocol, refusal: Refusal, wait: Wait): Promise<void> {
  const { status, headers, body, frames } = refusal;
  if (frames !== undefined) return sendFrames(line, call, frames, {}, wait);
  return sendBody(line, { status, body, ...(headers && { headers }) });
}

/** Sends what is no stream: an object as JSON, a string as a page. */
export async function sendBody(line: Line, reply: Pick<ScriptedReply, "status" | "headers" | "body">): Promise<void> {
  const isText = typeof reply.body === "string";
  const contentType = isText ? "text/html" : "application/json";
  line.head(reply.status ?? 200, { "content-type": contentType, ...reply.headers });
  await line.send(isText ? String(reply.body) : JSON.stringify(reply.body ?? {}));
  line.end();
}

async function sendFrames(
  line: Line,
  call: Protocol,
  frames: readonly Frame[],
  reply: ScriptedReply,
  wait: Wait,
): Promise<void> {
  const { cutAfterFrames, endAfterFrames, stallAfterFrames, garbageAfterFrames, errorFrame } = reply;
  const breaks = [cutAfterFrames, endAfterFrames, stallAfterFrames, garbageAfterFrames, errorFrame?.afterFrames];
  line.head(200, { "content-type": streamTypeOf(call), ...reply.headers });
  for (const [index, frame] of frames
    .slice(
      0,
      breaks.find((count) => count !== undefined),
    )
    .entries()) {
    if (index > 0 && reply.frameDelayMs !== undefined) await wait(reply.frameDelayMs, line.signal);
    await line.send(frame);
  }
  if (cutAfterFrames !== undefined) return line.cut();
  if (stallAfterFrames !== undefined) return;
  if (garbageAfterFrames !== undefined) await line.send("data: {\u0000 not json\n\n\u0001\u0002\n\n");
  if (errorFrame !== undefined) await line.send(renderErrorFrame(call, errorFrame));
  line.end();
}

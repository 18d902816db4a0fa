// The answer to one request of a client: plain JSON where the server answers at once and says nothing else before, else an event
// stream with what it says during the call and the answer at its end.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { eventStreamHeaders, openEventSink, type EventSink } from "./event-sink.ts";

/** What answers sooner needs no stream; well below any proxy's patience. */
const patienceMs = 5_000;
const keepAliveMs = 15_000;

export interface Reply {
  readonly response: Promise<Response>;
  /** Whether messages can go out before the answer. */
  readonly takesEvents: boolean;
  /** Sends a message before the answer. False when that cannot be. */
  send(text: string): boolean;
  /** Sends the answer, or ends without one. Does nothing the second time. */
  finish(text?: string): void;
}

export function openReply(accept: string | null, headers: Record<string, string>, clock: Clock): Reply {
  const answered = Promise.withResolvers<Response>();
  const takesEvents = accept?.includes("text/event-stream") ?? false;
  let sink: EventSink | undefined;
  let isOver = false;
  let timer: Timer | undefined;
  const openStream = (): EventSink => {
    if (sink !== undefined) return sink;
    timer?.cancel();
    sink = openEventSink(() => timer?.cancel());
    answered.resolve(new Response(sink.body, { headers: { ...eventStreamHeaders, ...headers } }));
    beat(sink);
    return sink;
  };
  const beat = (open: EventSink) => {
    timer = clock.schedule(keepAliveMs, () => {
      open.keepAlive();
      beat(open);
    });
  };
  if (takesEvents) timer = clock.schedule(patienceMs, openStream);
  return {
    response: answered.promise,
    takesEvents,
    send: (text) => takesEvents && !isOver && openStream().send(text),
    finish(text) {
      if (isOver) return;
      isOver = true;
      if (text !== undefined && sink === undefined) {
        timer?.cancel();
        answered.resolve(new Response(text, { headers: { "Content-Type": "application/json", ...headers } }));
        return;
      }
      const open = openStream();
      if (text !== undefined) open.send(text);
      timer?.cancel();
      open.close();
    },
  };
}

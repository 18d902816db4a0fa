// Where a client hears what belongs to no call of its own: its GET stream. Changes that come while it is not open are kept, each
// once, and told when it is.
import type { Message } from "../stdio/messages.ts";
import { openEventSink, type EventSink } from "./event-sink.ts";
import type { Reply } from "./reply.ts";

const maxKept = 1_024;
const isChange = (method: string): boolean => /^notifications\/(resources\/updated|\w+\/list_changed)$/.test(method);

export class Listener {
  #sink: EventSink | undefined;
  /** By what changed. */
  readonly #kept = new Map<string, string>();

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  /** The client opens its stream. Only one can be open at a time. */
  open(): ReadableStream<Uint8Array> {
    const sink = openEventSink(() => {
      if (this.#sink === sink) this.#sink = undefined;
    });
    this.#sink = sink;
    for (const text of this.#kept.values()) sink.send(text);
    this.#kept.clear();
    // So that the headers go out.
    sink.keepAlive();
    return sink.body;
  }

  keepAlive(): void {
    this.#sink?.keepAlive();
  }

  /** A notification: changes on the stream, all else with the only call it can be about. */
  tell({ method = "", params }: Message, text: string, only: Reply | undefined): void {
    if (!isChange(method)) {
      if (only?.send(text) !== true) this.#sink?.send(text);
      return;
    }
    if (this.#sink?.send(text) === true || this.#kept.size >= maxKept) return;
    this.#kept.set(JSON.stringify([method, params?.["uri"]]), text);
  }

  /** A request. False when there is nobody to ask. */
  ask(text: string, only: Reply | undefined): boolean {
    return only?.send(text) === true || this.#sink?.send(text) === true;
  }

  close(): void {
    this.#sink?.close();
  }
}

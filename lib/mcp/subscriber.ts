// One reader of changes: what it has subscribed to, and what it is owed since its stream last took something. It owes a
// resource or a list once, however often that has changed, so a reader that stands still costs no more than what it
// subscribed to (MGM-2). Which changes concern it is the hub's to say.
import type { Clock, Timer } from "../process/clock.ts";
import type { Requester } from "./table.ts";

export type ListName = "tools" | "resources";

export type ChangeNotification =
  | { method: "notifications/resources/updated"; params: { uri: string } }
  | { method: `notifications/${ListName}/list_changed` };

/** What carries notifications to a reader, one at a time for each subscriber. */
export interface ChangeStream {
  /** Whether its reader has taken all that was sent. */
  isTaken(): boolean;
  send(notifications: readonly ChangeNotification[]): void;
  /** Ends it, because its reader does not read. */
  endStalled(): void;
}

export interface AttachedStream {
  /** To be called when the reader has taken something. */
  onTaken(): void;
  /** To be called when the stream is over. */
  detach(): void;
}

/** A change is heard this late at most where the reader reads. */
export const flushIntervalMs = 100;
/** A reader that is owed something and takes nothing for this long loses its stream. */
export const maxStallMs = 30_000;

interface SubscriberOptions {
  requester: Requester;
  lists: ReadonlySet<ListName>;
  mayRead: (uri: string, requester: Requester) => boolean;
  clock: Clock;
}

/** Times by `clock`. */
export class Subscriber {
  /** Who reads now: of one session always the same caller, whose rights may have changed. */
  requester: Requester;
  readonly lists: ReadonlySet<ListName>;
  /** Each with whether it could be read when it was last looked at. */
  readonly #uris = new Map<string, boolean>();
  readonly #owed = new Set<string>();
  readonly #owedLists = new Set<ListName>();
  readonly #mayRead: SubscriberOptions["mayRead"];
  readonly #clock: Clock;
  #stream: ChangeStream | undefined;
  #flush: Timer | undefined;
  #stall: Timer | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #mayHaveMissed = false;

  constructor({ requester, lists, mayRead, clock }: SubscriberOptions) {
    this.requester = requester;
    this.lists = lists;
    this.#mayRead = mayRead;
    this.#clock = clock;
  }

  get uris(): readonly string[] {
    return [...this.#uris.keys()];
  }

  get count(): number {
    return this.#uris.size;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  add(uri: string): void {
    this.#uris.set(uri, true);
  }

  delete(uri: string): void {
    this.#uris.delete(uri);
    this.#owed.delete(uri);
  }

  owe(uri: string): void {
    this.#owed.add(uri);
    this.#arm();
  }

  oweList(list: ListName): void {
    this.#owedLists.add(list);
    this.#arm();
  }

  /** The next stream begins with all there is: changes may have been missed. */
  oweAll(): void {
    this.#mayHaveMissed = true;
  }

  /** Sends on this stream from now on. What an earlier one was given may never have arrived, so all is owed again. */
  attach(stream: ChangeStream): AttachedStream {
    this.#halt();
    this.#stream = stream;
    if (this.#mayHaveMissed) {
      for (const uri of this.#uris.keys()) this.#owed.add(uri);
      for (const list of this.lists) this.#owedLists.add(list);
    }
    this.#mayHaveMissed = true;
    this.#arm();
    return {
      onTaken: () => {
        if (this.#stream !== stream) return;
        this.#stall?.cancel();
        this.#stall = undefined;
        this.#arm();
      },
      detach: () => {
        if (this.#stream === stream) this.#halt();
      },
    };
  }

  close(): void {
    this.#halt();
    this.#uris.clear();
    this.#owed.clear();
    this.#owedLists.clear();
  }

  #halt(): void {
    this.#stream = undefined;
    this.#flush?.cancel();
    this.#stall?.cancel();
    this.#flush = undefined;
    this.#stall = undefined;
  }

  #arm(): void {
    const owesNothing = this.#owed.size === 0 && this.#owedLists.size === 0;
    if (owesNothing || this.#stream === undefined || (this.#flush ?? this.#stall) !== undefined) return;
    const delayMs = Math.max(0, this.#flushedAt + flushIntervalMs - this.#clock.now());
    this.#flush = this.#clock.schedule(delayMs, () => {
      this.#flush = undefined;
      this.#send();
    });
  }

  #send(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    if (!stream.isTaken()) {
      this.#stall = this.#clock.schedule(maxStallMs, () => {
        this.#halt();
        stream.endStalled();
      });
      return;
    }
    this.#flushedAt = this.#clock.now();
    const notifications = this.#takeOwed();
    if (notifications.length > 0) stream.send(notifications);
  }

  /** Of what can no longer be read, that it is gone is said once, and nothing after it. */
  #takeOwed(): ChangeNotification[] {
    const notifications: ChangeNotification[] = [...this.#owedLists].map((list) => ({
      method: `notifications/${list}/list_changed`,
    }));
    for (const uri of this.#owed) {
      const isReadable = this.#mayRead(uri, this.requester);
      if (isReadable || this.#uris.get(uri) === true) {
        notifications.push({ method: "notifications/resources/updated", params: { uri } });
      }
      this.#uris.set(uri, isReadable);
    }
    this.#owed.clear();
    this.#owedLists.clear();
    return notifications;
  }
}

// What the shared process says of changes, for whoever listens: its lists, and resources that somebody follows. Those are
// followed anew when its process has ended, and whoever listens hears then that all may have changed.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Peer } from "../relay/peer.ts";
import type { Message } from "../stdio/messages.ts";
import type { ProcessEvents } from "../stdio/server-process.ts";
import type { SharedServer } from "./shared-server.ts";

type ListName = "tools" | "resources";

const retryMs = 5_000;

export class SharedChanges {
  readonly #shared: SharedServer;
  readonly #clock: Clock;
  readonly #lists: Record<ListName, Set<() => void>> = { tools: new Set(), resources: new Set() };
  readonly #updates = new Set<(uri: string) => void>();
  readonly #followed = new Set<string>();
  #peer: Peer | undefined;
  #opening: Promise<void> | undefined;
  #retry: Timer | undefined;
  #isClosed = false;

  constructor(shared: SharedServer, clock: Clock) {
    this.#shared = shared;
    this.#clock = clock;
  }

  /** What it returns ends that. */
  onList(list: ListName, onChanged: () => void): () => void {
    this.#lists[list].add(onChanged);
    void this.#connect();
    return () => void this.#lists[list].delete(onChanged);
  }

  onUpdated(onUpdated: (uri: string) => void): () => void {
    this.#updates.add(onUpdated);
    return () => void this.#updates.delete(onUpdated);
  }

  follow(uri: string): () => void {
    this.#followed.add(uri);
    this.#peer?.send({ id: `follow ${uri}`, method: "resources/subscribe", params: { uri } });
    void this.#connect();
    return () => {
      this.#followed.delete(uri);
      this.#peer?.send({ id: `leave ${uri}`, method: "resources/unsubscribe", params: { uri } });
    };
  }

  /** Somebody has started the process: what it says is heard from now on. */
  connect(): void {
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
  }

  async #connect(): Promise<void> {
    if (this.#peer !== undefined || this.#isClosed) return;
    await (this.#opening ??= this.#open().finally(() => (this.#opening = undefined)));
  }

  async #open(): Promise<void> {
    const events: ProcessEvents = {
      onMessage: ({ message }) => this.#receive(message),
      onRefused: () => undefined,
      onEnd: () => this.#lose(),
    };
    try {
      this.#peer = await this.#shared.open(events);
    } catch {
      // Whoever asks something is told why.
      return this.#connectLater();
    }
    for (const uri of this.#followed) {
      this.#peer.send({ id: `follow ${uri}`, method: "resources/subscribe", params: { uri } });
    }
  }

  #lose(): void {
    this.#peer = undefined;
    for (const listeners of Object.values(this.#lists)) for (const onChanged of listeners) onChanged();
    for (const uri of this.#followed) for (const onUpdated of this.#updates) onUpdated(uri);
    // A process is not kept alive only to hear of its lists.
    if (this.#followed.size > 0) this.#connectLater();
  }

  #connectLater(): void {
    this.#retry?.cancel();
    if (!this.#isClosed) this.#retry = this.#clock.schedule(retryMs, () => void this.#connect());
  }

  #receive({ method, params }: Message): void {
    const uri = params?.["uri"];
    if (method === "notifications/resources/updated") {
      if (typeof uri === "string") for (const onUpdated of this.#updates) onUpdated(uri);
    } else if (method === "notifications/tools/list_changed") {
      for (const onChanged of this.#lists.tools) onChanged();
    } else if (method === "notifications/resources/list_changed") {
      for (const onChanged of this.#lists.resources) onChanged();
    }
  }
}

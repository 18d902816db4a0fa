// The bridge's way to the supervisor in the container beside it: what is asked and what is heard, as supervisor.sh says. The
// supervisor may come later than the bridge and may be started anew, when all that it ran is gone.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { settledWithin, sleep, type Clock } from "../../lib/process/clock.ts";
import { createLineReader } from "../stdio/line-reader.ts";
import { openPipe, type Pipe } from "./pipe.ts";

/** What is heard of one process. */
export interface Watcher {
  onMade(): void;
  /** Nothing of it runs any more. */
  onExit(code: number | undefined): void;
}

const pollMs = 100;
const maxEventBytes = 4_096;
/** A server may write to its own container's pipes too: what it makes the bridge say there is not kept for ever. */
const maxUnreadBytes = 64 * 1024;

export class SupervisorLink {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Watcher>();
  readonly #closing = new AbortController();
  #opening: Promise<Pipe> | undefined;
  #control: Pipe | undefined;
  #events: Pipe | undefined;
  /** Resolves when the supervisor has answered that nothing runs from before. */
  #fresh = Promise.withResolvers<void>();
  #word = "";

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Resolves when the supervisor is there; rejects when it is not in time. */
  async ready(timeoutMs: number): Promise<void> {
    const isReady = this.#open().then(() => this.#fresh.promise);
    if (await settledWithin(isReady, timeoutMs, this.#clock)) return await isReady;
    throw new Error(
      "cannot be started: its own container does not run, mostly because its image cannot be pulled or a Secret of its env is missing; kubectl describe its pod says which",
    );
  }

  /** Asks for a process under a new id. */
  start(watcher: Watcher): string {
    const id = randomBytes(6).toString("hex");
    this.#watchers.set(id, watcher);
    this.#send(`start ${id}`);
    return id;
  }

  stop(id: string, signal: "TERM" | "KILL"): void {
    this.#send(`stop ${id} ${signal}`);
  }

  /** Lets the supervisor end what it runs, and itself where its container is to stop. */
  close(): void {
    this.#closing.abort(new Error("the bridge is shutting down"));
    this.#send("bye");
    this.#control?.socket.destroySoon();
    this.#events?.socket.destroy();
  }

  #open(): Promise<Pipe> {
    return (this.#opening ??= this.#openPipes().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    }));
  }

  async #openPipes(): Promise<Pipe> {
    const events = await this.#openWhenThere("events", "read");
    const control = await this.#openWhenThere("control", "write");
    const lines = createLineReader({
      maxLineBytes: maxEventBytes,
      onLine: (line) => this.#hear(line),
      onLong: () => undefined,
    });
    events.socket.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#events = events;
    this.#control = control;
    this.#reset();
    return control;
  }

  async #openWhenThere(name: string, direction: "read" | "write"): Promise<Pipe> {
    for (;;) {
      try {
        return await openPipe(join(this.#folder, name), direction);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
        await sleep(this.#clock, pollMs, this.#closing.signal);
      }
    }
  }

  #reset(): void {
    this.#word = randomBytes(6).toString("hex");
    this.#send(`reset ${this.#word}`);
  }

  #hear(line: string): void {
    const [verb, id = "", code] = line.split(" ");
    if (verb === "ready") {
      // One that was started anew runs nothing.
      const lost = [...this.#watchers.values()];
      this.#watchers.clear();
      for (const watcher of lost) watcher.onExit(undefined);
      this.#reset();
    } else if (verb === "reset") {
      if (id === this.#word) this.#fresh.resolve();
    } else if (verb === "made") {
      const watcher = this.#watchers.get(id);
      if (watcher === undefined) this.stop(id, "KILL");
      else watcher.onMade();
    } else if (verb === "exit") {
      const watcher = this.#watchers.get(id);
      this.#watchers.delete(id);
      watcher?.onExit(Number(code));
      this.#send("reap");
    }
  }

  /** Whoever waits for what is dropped has a deadline. */
  #send(line: string): void {
    if (this.#control === undefined || this.#control.socket.writableLength > maxUnreadBytes) return;
    this.#control.socket.write(`${line}\n`);
  }
}

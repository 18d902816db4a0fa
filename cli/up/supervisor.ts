// Which processes run: compares what should run with what does, starts, stops and restarts no more than that. How one
// process lives is the runner's business.
import { superviseProcess, type ProcessPlan, type RunnerContext } from "./runner.ts";

/** What one process is started for. */
export interface Supervised {
  key: string;
  port: number;
  /** Keys of those that must be ready first. */
  dependencies: readonly string[];
  /** Differs exactly when the process must be started anew. */
  fingerprint: string;
}

interface Running<Item> {
  item: Item;
  isStopping: boolean;
  stop(): Promise<void>;
}

export interface Changes {
  started: string[];
  restarted: string[];
  stopped: string[];
}

export interface Supervision<Item> {
  /** How a process is started. */
  planFor(item: Item): ProcessPlan;
  /** Keys of those that stop together, one such group after the other. */
  stopOrder(items: readonly Item[]): readonly (readonly string[])[];
}

export class Supervisor<Item extends Supervised> {
  readonly #running = new Map<string, Running<Item>>();
  readonly #context: RunnerContext;
  readonly #supervision: Supervision<Item>;
  #desired: ReadonlyMap<string, Item> = new Map();
  #isStopped = false;

  constructor(context: RunnerContext, supervision: Supervision<Item>) {
    this.#context = context;
    this.#supervision = supervision;
  }

  /** Those that wait for this one, directly or through others. */
  waitingFor(key: string): string[] {
    const found = new Set([key]);
    for (const next of found) {
      for (const { item } of this.#running.values()) {
        if (item.dependencies.includes(next) && !this.#context.board.isReady(item.key)) found.add(item.key);
      }
    }
    return [...found].slice(1);
  }

  /**
   * Stops what should not run, restarts what runs on something else now, starts what is new. A process that stops may take
   * its time for the calls that it works on: nothing else waits for it but its successor and who gets its port.
   */
  apply(desired: ReadonlyMap<string, Item>): Changes {
    this.#desired = desired;
    const changes: Changes = { started: [], restarted: [], stopped: [] };
    for (const [key, running] of this.#running) {
      const next = desired.get(key);
      if (running.isStopping) continue;
      if (next?.fingerprint === running.item.fingerprint) {
        running.item = next; // what it depends on is no reason to start it anew
        continue;
      }
      (next ? changes.restarted : changes.stopped).push(key);
      void running.stop();
    }
    changes.started = [...desired.keys()].filter((key) => !this.#running.has(key));
    this.#startMissing();
    return changes;
  }

  /** Stops everything, in its order; in a hurry all together. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const { hurry } = this.#context;
    const hurried = new Promise<void>((resolve) => hurry.addEventListener("abort", () => resolve(), { once: true }));
    const all = [...this.#running.values()];
    for (const wave of this.#supervision.stopOrder(all.map(({ item }) => item))) {
      const ended = Promise.all(wave.map(async (key) => this.#running.get(key)?.stop()));
      if (!hurry.aborted) await Promise.race([ended, hurried]);
    }
    await Promise.all(all.map((running) => running.stop()));
  }

  #startMissing(): void {
    if (this.#isStopped) return;
    const held = new Set(
      [...this.#running.values()].filter(({ isStopping }) => isStopping).map(({ item }) => item.port),
    );
    for (const [key, item] of this.#desired) if (!this.#running.has(key) && !held.has(item.port)) this.#start(item);
    this.#context.board.announce();
  }

  #start(item: Item): void {
    const controller = new AbortController();
    const running: Running<Item> = {
      item,
      isStopping: false,
      stop: () => {
        running.isStopping = true;
        controller.abort(new Error("stopped"));
        return done;
      },
    };
    this.#running.set(item.key, running);
    const plan = { ...this.#supervision.planFor(item), dependencies: () => running.item.dependencies };
    const done = superviseProcess(plan, this.#context, controller.signal).finally(() => {
      this.#running.delete(item.key);
      this.#startMissing();
    });
  }
}

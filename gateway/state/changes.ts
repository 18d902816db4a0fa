// Gathers what changed until this turn of the event loop is over, and says it once: a first list is thousands of changes.
import type { StateChange } from "./state.ts";

type Listener = (change: StateChange) => void;

export class Changes {
  readonly #listeners = new Set<Listener>();
  readonly #agents = new Set<string>();
  #instance = false;
  #announcing: NodeJS.Immediate | undefined;

  onChange(listener: Listener): () => void {
    const own: Listener = (change) => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  addAgent(name: string): void {
    this.#agents.add(name);
    this.#announceSoon();
  }

  addInstance(): void {
    this.#instance = true;
    this.#announceSoon();
  }

  stop(): void {
    clearImmediate(this.#announcing);
    this.#listeners.clear();
  }

  #announceSoon(): void {
    this.#announcing ??= setImmediate(() => {
      this.#announcing = undefined;
      const change = { agents: [...this.#agents].toSorted(), instance: this.#instance };
      this.#agents.clear();
      this.#instance = false;
      for (const listener of [...this.#listeners]) listener(change);
    });
  }
}

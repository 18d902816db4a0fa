// Gathers what changed until this turn of the event loop is over, and says it once: a first list is thousands of changes.
import type { StateChange } from "./state.ts";

type Listener = (change: StateChange) => void;
type Named = Exclude<keyof StateChange, "instance">;

export class Changes {
  readonly #listeners = new Set<Listener>();
  readonly #names: Record<Named, Set<string>> = {
    agents: new Set(),
    servers: new Set(),
    registrations: new Set(),
    policies: new Set(),
    approvals: new Set(),
  };
  #instance = false;
  #announcing: NodeJS.Immediate | undefined;

  onChange(listener: Listener): () => void {
    const own: Listener = (change) => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  add(what: Named, name: string): void {
    this.#names[what].add(name);
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
      const change = {
        agents: this.#take("agents"),
        servers: this.#take("servers"),
        registrations: this.#take("registrations"),
        policies: this.#take("policies"),
        approvals: this.#take("approvals"),
        instance: this.#instance,
      };
      this.#instance = false;
      for (const listener of [...this.#listeners]) listener(change);
    });
  }

  #take(what: Named): string[] {
    const names = [...this.#names[what]].toSorted();
    this.#names[what].clear();
    return names;
  }
}

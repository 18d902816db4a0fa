// Reasons to look at an agent again that are no change of a resource: what it says of its health, or that it is its turn
// to get a new image. A source like those of the caches; what comes while no controller is connected is not kept.
import type { Source } from "../lib/kube/source.ts";

export interface Wakes {
  readonly source: Source;
  /** @param agent its key */
  wake(agent: string): void;
}

export function createWakes(name: string): Wakes {
  const listeners = new Set<(agent: string) => void>();
  return {
    source: {
      name,
      hasSynced: true,
      ensureSynced: () => undefined,
      connect(enqueue) {
        const listener = (agent: string): void => enqueue(agent, {});
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    wake: (agent) => listeners.forEach((listener) => listener(agent)),
  };
}

// Reasons to look at a resource again that are no change of one: what an agent says of its health, that it is its turn to get a
// new image, other keys of the cluster. A source like those of the caches; what comes while no controller is connected is not kept.
import type { Source } from "../lib/kube/source.ts";

export interface Wakes {
  readonly source: Source;
  /** @param key of an agent, or whatever the controller is for */
  wake(key: string): void;
}

export function createWakes(name: string): Wakes {
  const listeners = new Set<(key: string) => void>();
  return {
    source: {
      name,
      hasSynced: true,
      ensureSynced: () => undefined,
      connect(enqueue) {
        const listener = (key: string): void => enqueue(key, {});
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    wake: (key) => listeners.forEach((listener) => listener(key)),
  };
}

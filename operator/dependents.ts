// Whom a change of an agent concerns beside itself: those that depend on it, directly or through others, because
// cycles and the depth of calls are seen from far away.
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import type { WatchedAgent } from "../plan/parse-watched.ts";
import type { AgentIndex } from "./caches.ts";

/** Keys of all agents that depend on the given one, each once, itself only if it is in a cycle. */
export function dependentsOf(store: ReadStore<WatchedAgent, AgentIndex>, key: string): Set<string> {
  const found = new Set<string>();
  const pending = [key];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { metadata } of store.byIndex("dependency", next)) {
      const dependent = objectKey(metadata.namespace, metadata.name);
      if (found.has(dependent)) continue;
      found.add(dependent);
      pending.push(dependent);
    }
  }
  return found;
}

export const isReady = (agent: WatchedAgent): boolean =>
  agent.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

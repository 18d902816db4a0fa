// Asks the server about an owner before writing for it, where the cache alone must not be believed: a watch that fell
// silent still shows an agent that was deleted, whose children we and the garbage collector would make and remove
// without end; and a list after a restart may be older than what the process before it wrote.
import { getObject } from "../lib/kube/apply.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import { Stalled, Waiting } from "../lib/kube/outcome.ts";
import type { Transport } from "../lib/kube/transport.ts";
import type { Caches } from "./caches.ts";
import { agentType, instanceType } from "./resources.ts";

export interface OwnerGuard {
  /**
   * Before each creation or deletion, once in a reconcile; before an update, once in the life of this process and of the owner.
   * Throws `Stalled` when the owner is gone, `Waiting` when the cache is behind.
   */
  confirm(owner: LiveObject, action: "create" | "update", signal: AbortSignal): Promise<void>;
}

const behindRetryMs = 1_000;

export function createOwnerGuard(transport: Transport, caches: Pick<Caches, "agents" | "instances">): OwnerGuard {
  const known = new Set<string>();
  // A reconcile's signal is its own, and goes with it.
  const askedIn = new WeakMap<AbortSignal, Promise<void>>();
  for (const { store } of [caches.agents, caches.instances]) {
    store.onChange((change) => void (change.type === "deleted" && known.delete(change.previous.metadata.uid)));
  }
  const ask = async (owner: LiveObject, signal: AbortSignal) => {
    const type = owner.kind === agentType.kind ? agentType : instanceType;
    const { name, uid, generation = 0 } = owner.metadata;
    const found = await getObject(transport, type, owner.metadata, { signal });
    if (!found || found.metadata.uid !== uid || found.metadata.deletionTimestamp !== undefined) {
      throw new Stalled({ reason: "OwnerGone", message: `${owner.kind} "${name}" is gone; its children go with it` });
    }
    if ((found.metadata.generation ?? 0) > generation) {
      const message = `the cache has generation ${generation} of ${owner.kind} "${name}", the server a newer one`;
      throw new Waiting({ reason: "CacheBehind", message, retryMs: behindRetryMs });
    }
    known.add(uid);
  };
  return {
    async confirm(owner, action, signal) {
      if (action === "update" && known.has(owner.metadata.uid)) return;
      const asked = askedIn.get(signal) ?? ask(owner, signal);
      askedIn.set(signal, asked);
      await asked;
    },
  };
}

// Asks the server about an owner before writing for it, where the cache alone must not be believed: a watch that fell
// silent still shows an agent that was deleted, whose children we and the garbage collector would make and remove
// without end; and the view of a process that begins to write may be older than what the one before it wrote, be it of
// an agent or of the instance that its children are rendered from.
import { getObject } from "../lib/kube/apply.ts";
import { keyOf, objectKey, type LiveObject } from "../lib/kube/object.ts";
import { Stalled, Waiting } from "../lib/kube/outcome.ts";
import type { Transport } from "../lib/kube/transport.ts";
import type { Caches } from "./caches.ts";
import { agentType, instanceType } from "./resources.ts";

export interface OwnerGuard {
  /**
   * Before each creation or deletion, once in a reconcile; before an update, once in the life of this process and of the owner.
   * An agent's instance is asked about once in the life of this process and of the instance.
   * Throws `Stalled` when the owner is gone, `Waiting` when the cache is behind.
   */
  confirm(owner: LiveObject, action: "create" | "update" | "delete", signal: AbortSignal): Promise<void>;
}

const behindRetryMs = 1_000;
const typeOf = ({ kind }: LiveObject) => (kind === agentType.kind ? agentType : instanceType);

const isNewer = (found: LiveObject, cached: LiveObject): boolean =>
  (found.metadata.generation ?? 0) > (cached.metadata.generation ?? 0);

const behind = ({ kind, metadata }: LiveObject): Waiting => {
  const message = `the cache has generation ${metadata.generation ?? 0} of ${kind} "${metadata.name}", the server has not`;
  return new Waiting({ reason: "CacheBehind", message, retryMs: behindRetryMs });
};

export function createOwnerGuard(transport: Transport, caches: Pick<Caches, "agents" | "instances">): OwnerGuard {
  const known = new Set<string>();
  // A reconcile's signal is its own, and goes with it.
  const askedIn = new WeakMap<AbortSignal, Promise<void>>();
  for (const { store } of [caches.agents, caches.instances]) {
    store.onChange((change) => void (change.type === "deleted" && known.delete(change.previous.metadata.uid)));
  }
  /** That very object as the server has it; undefined when it is gone. */
  const read = async (cached: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> => {
    const found = await getObject(transport, typeOf(cached), cached.metadata, { signal });
    return found?.metadata.uid === cached.metadata.uid ? found : undefined;
  };
  const instanceOf = (owner: LiveObject): LiveObject | undefined => {
    const parsed = owner.kind === agentType.kind ? caches.agents.store.get(keyOf(owner))?.parsed : undefined;
    if (!parsed?.ok) return undefined;
    return caches.instances.store.get(objectKey(owner.metadata.namespace, parsed.value.spec.instanceRef.name));
  };
  const ask = async (owner: LiveObject, signal: AbortSignal) => {
    const found = await read(owner, signal);
    if (!found || found.metadata.deletionTimestamp !== undefined) {
      const message = `${owner.kind} "${owner.metadata.name}" is gone; its children go with it`;
      throw new Stalled({ reason: "OwnerGone", message });
    }
    if (isNewer(found, owner)) throw behind(owner);
    const instance = instanceOf(owner);
    if (instance && !known.has(instance.metadata.uid)) {
      const foundInstance = await read(instance, signal);
      if (!foundInstance || isNewer(foundInstance, instance)) throw behind(instance);
      known.add(instance.metadata.uid);
    }
    known.add(owner.metadata.uid);
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

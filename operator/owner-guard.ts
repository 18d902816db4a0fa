// Asks the server about an owner before writing for it, where the cache alone must not be believed: a watch that fell
// silent still shows an agent that was deleted, whose children we and the garbage collector would make and remove
// without end; and the view of a process that begins to write may be older than what the one before it wrote, be it of
// an agent or of the instance that its children are rendered from. An owner that was made moments ago and that a watch
// has told of is believed, once: so new agents cost no call.
import { agentType, instanceType } from "../crds/kinds.ts";
import { getObject } from "../lib/kube/apply.ts";
import { keyOf, objectKey, type LiveObject } from "../lib/kube/object.ts";
import { Stalled, Waiting } from "../lib/kube/outcome.ts";
import type { Transport } from "../lib/kube/transport.ts";
import { systemClock, type Clock } from "../lib/process/clock.ts";
import type { Caches } from "./caches.ts";

/** One reconcile, for one owner. */
export interface Reconciling {
  readonly owner: LiveObject;
  readonly signal: AbortSignal;
}

export interface OwnerGuard {
  /**
   * Before each creation or deletion, once in a reconcile; before an update, once in the life of this process and of the owner.
   * An agent's instance is asked about once in the life of this process and of the instance.
   * Throws `Stalled` when the owner is gone, `Waiting` when the cache is behind.
   */
  confirm(reconciling: Reconciling, action: "create" | "update" | "delete"): Promise<void>;
}

type Heard<Kind extends "agents" | "instances"> = {
  readonly store: Pick<Caches[Kind]["store"], "onChange" | "get">;
};

export interface OwnerGuardOptions {
  readonly transport: Pick<Transport, "request">;
  readonly caches: { readonly [Kind in "agents" | "instances"]: Heard<Kind> };
  readonly clock?: Clock;
}

const behindRetryMs = 1_000;
/** Since we heard of it, and by our wall clock and the server's since it was made: where they differ by more, we ask. */
const newForMs = 10_000;

const typeOf = ({ kind }: LiveObject) => (kind === agentType.kind ? agentType : instanceType);

const isNewer = (found: LiveObject, cached: LiveObject): boolean =>
  (found.metadata.generation ?? 0) > (cached.metadata.generation ?? 0);

const behind = ({ kind, metadata }: LiveObject): Waiting => {
  const message = `the cache has generation ${metadata.generation ?? 0} of ${kind} "${metadata.name}", the server has not`;
  return new Waiting({ reason: "CacheBehind", message, retryMs: behindRetryMs });
};

export function createOwnerGuard({ transport, caches, clock = systemClock }: OwnerGuardOptions): OwnerGuard {
  const known = new Set<string>();
  const newcomers = new Newcomers(clock);
  const asked = new WeakMap<Reconciling, Promise<void>>();
  for (const { store } of [caches.agents, caches.instances]) {
    store.onChange((change) => {
      if (change.type === "added" && !change.initial) newcomers.add(change.object);
      if (change.type !== "deleted") return;
      known.delete(change.previous.metadata.uid);
      newcomers.delete(change.previous.metadata.uid);
    });
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
  const askOwner = async ({ owner, signal }: Reconciling): Promise<void> => {
    const found = await read(owner, signal);
    if (!found || found.metadata.deletionTimestamp !== undefined) {
      const message = `${owner.kind} "${owner.metadata.name}" is gone; its children go with it`;
      throw new Stalled({ reason: "OwnerGone", message });
    }
    if (isNewer(found, owner)) throw behind(owner);
  };
  const askInstance = async ({ owner, signal }: Reconciling): Promise<void> => {
    const instance = instanceOf(owner);
    if (!instance || known.has(instance.metadata.uid)) return;
    const found = await read(instance, signal);
    if (!found || isNewer(found, instance)) throw behind(instance);
    known.add(instance.metadata.uid);
  };
  const ask = async (reconciling: Reconciling): Promise<void> => {
    const { uid } = reconciling.owner.metadata;
    if (!newcomers.take(uid)) await askOwner(reconciling);
    await askInstance(reconciling);
    known.add(uid);
  };
  return {
    async confirm(reconciling, action) {
      if (action === "update" && known.has(reconciling.owner.metadata.uid)) return;
      const answer = asked.get(reconciling) ?? ask(reconciling);
      asked.set(reconciling, answer);
      await answer;
    },
  };
}

/** Owners that were made moments ago, as a watch told. */
class Newcomers {
  readonly #clock: Clock;
  /** By uid, until when they are believed; in the order of their ends. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ metadata: { uid, creationTimestamp = "" } }: LiveObject): void {
    const now = this.#clock.now();
    for (const [oldest, endsAt] of this.#ends) {
      if (endsAt > now) break;
      this.#ends.delete(oldest);
    }
    // An old one is not new to the server: the watch repeats what is long past.
    if (this.#clock.wallNow() - Date.parse(creationTimestamp) < newForMs) this.#ends.set(uid, now + newForMs);
  }

  /** Whether it is one; afterwards it is none. */
  take(uid: string): boolean {
    const endsAt = this.#ends.get(uid) ?? 0;
    this.#ends.delete(uid);
    return endsAt > this.#clock.now();
  }

  delete(uid: string): void {
    this.#ends.delete(uid);
  }
}

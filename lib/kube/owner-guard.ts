// Asks the server about an owner before something is written for it, where the cache alone must not be believed: a watch
// that fell silent still shows an owner that was deleted, whose children we and the garbage collector would make and
// remove without end; and the view of a process that begins to write may be older than what the one before it wrote. An
// owner that was made moments ago, as a watch has told, is believed once: so new ones cost no call.
// Question 8 of "Is what I see fresh?" in README.md.
import { getObject } from "./apply.ts";
import { keyOf, type LiveObject } from "./object.ts";
import { Stalled, Waiting } from "./outcome.ts";
import { groupOf, type ResourceType } from "./resource.ts";
import type { Change } from "./store.ts";
import type { Transport } from "./transport.ts";
import { systemClock, type Clock } from "../process/clock.ts";

/** One reconcile, for one owner. */
export interface Reconciling {
  readonly owner: LiveObject;
  readonly signal: AbortSignal;
}

export interface OwnerGuard {
  /**
   * Before each creation or deletion, once in a reconcile; before an update, once in the life of this process and of the
   * owner. What the children are rendered from besides is asked about once in the life of this process and of that.
   * Throws `Stalled` when the owner is gone, `Waiting` when the cache is behind.
   */
  confirm(reconciling: Reconciling, action: "create" | "update" | "delete"): Promise<void>;
}

export interface OwnerGuardOptions {
  readonly transport: Pick<Transport, "request">;
  /** The caches of owners, and of what their children are rendered from. */
  readonly informers: readonly {
    readonly type: ResourceType;
    readonly store: { onChange(listener: (change: Change<LiveObject>) => void): () => void };
  }[];
  /** Another object, of one of those caches, that the children of this owner are rendered from. */
  readonly basisOf?: (owner: LiveObject) => LiveObject | undefined;
  readonly clock?: Clock;
}

const behindRetryMs = 1_000;
/** Since we heard of it, and by our wall clock and the server's since it was made: where they differ by more, we ask. */
const newForMs = 10_000;

const isNewer = (found: LiveObject, cached: LiveObject): boolean =>
  (found.metadata.generation ?? 0) > (cached.metadata.generation ?? 0);

const behind = (cached: LiveObject): Waiting => {
  const generation = cached.metadata.generation ?? 0;
  const message = `the cache has generation ${generation} of ${cached.kind} ${keyOf(cached)}, the server has a newer one, or the object is gone`;
  return new Waiting({ reason: "CacheBehind", message, retryMs: behindRetryMs });
};

export function createOwnerGuard(options: OwnerGuardOptions): OwnerGuard {
  const { transport, informers, basisOf, clock = systemClock } = options;
  const known = new Set<string>();
  const newcomers = new Newcomers(clock);
  const asked = new WeakMap<Reconciling, Promise<void>>();
  for (const { store } of informers) {
    store.onChange((change) => {
      if (change.type === "added" && !change.initial) newcomers.add(change.object);
      if (change.type !== "deleted") return;
      known.delete(change.previous.metadata.uid);
      newcomers.delete(change.previous.metadata.uid);
    });
  }
  const typeOf = ({ apiVersion, kind }: LiveObject): ResourceType => {
    const found = informers.find(({ type }) => type.kind === kind && type.group === groupOf(apiVersion));
    if (found === undefined) throw new Error(`expected an owner of a kind with an informer, found a ${kind}`);
    return found.type;
  };
  /** That very object as the server has it; undefined when it is gone. */
  const read = async (cached: LiveObject, signal: AbortSignal): Promise<LiveObject | undefined> => {
    const found = await getObject(transport, typeOf(cached), cached.metadata, { signal });
    return found?.metadata.uid === cached.metadata.uid ? found : undefined;
  };
  const askOwner = async ({ owner, signal }: Reconciling): Promise<void> => {
    const found = await read(owner, signal);
    if (!found || found.metadata.deletionTimestamp !== undefined) {
      const message = `${owner.kind} "${owner.metadata.name}" is gone; its children go with it`;
      throw new Stalled({ reason: "OwnerGone", message });
    }
    if (isNewer(found, owner)) throw behind(owner);
  };
  const askBasis = async ({ owner, signal }: Reconciling): Promise<void> => {
    const basis = basisOf?.(owner);
    if (!basis || known.has(basis.metadata.uid)) return;
    const found = await read(basis, signal);
    if (!found || isNewer(found, basis)) throw behind(basis);
    known.add(basis.metadata.uid);
  };
  const ask = async (reconciling: Reconciling): Promise<void> => {
    const { uid } = reconciling.owner.metadata;
    if (!newcomers.take(uid)) await askOwner(reconciling);
    await askBasis(reconciling);
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

// Remembers what was written until the caches show it, so that nothing is decided on a cache which is older than our
// own last write (I7). Waits for a short while only; what is still not there then counts as unknown, not as absent.
// Questions 2, 4 and 5 of "Is what I see fresh?" in README.md.
import { controllerOf, keyOf, objectKey, type KubeObject, type LiveMeta, type LiveObject } from "./object.ts";
import { groupOf, type ResourceType } from "./resource.ts";
import { isOlder } from "./resource-version.ts";
import type { Change } from "./store.ts";
import { systemClock, type Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";

/** As much of an informer as is needed here. */
export interface WatchedKind {
  readonly type: ResourceType;
  readonly store: {
    get(key: string): LiveObject | undefined;
    onChange(listener: (change: Change<LiveObject>) => void): () => void;
  };
}

export interface WriteTrackerOptions {
  /** The caches that reconciles read, one per kind. Writes of other kinds are not followed. */
  readonly informers: readonly WatchedKind[];
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long a reconcile is put off at most, from its first attempt on. */
  readonly timeoutMs?: number;
  /** Writes that are remembered at most; the oldest is forgotten first. */
  readonly limit?: number;
}

/** A controller's view: whether the caches have seen all that was written for one of its keys. */
export interface OwnWrites {
  /** Undefined when they have; else resolves when they do, or when waiting is no use any more. Never rejects. */
  ensureSeen(key: string): Promise<void> | undefined;
}

export interface WriteTracker {
  /** Makes a write of this object and tells its answer; `isEcho` knows of it while it lasts. */
  follow<T extends LiveObject>(type: ResourceType, key: string, write: () => Promise<T>): Promise<T>;
  /** Tells the answer to a write. It concerns the object's own key and that of its controller. */
  wrote(type: ResourceType, object: LiveObject): void;
  /** Whether what the cache has of this object is older than our last write. */
  isBehind(type: ResourceType, key: string): boolean;
  /**
   * Whether an object of a cache is the very version that a write of ours has made. A watch is often faster than the
   * answer, which is then waited for.
   */
  isEcho(object: LiveObject): boolean | Promise<boolean>;
  /** The object turned out to be gone. */
  forget(type: ResourceType, key: string): void;
  /** For the controller whose keys are objects of this kind. */
  of(type: ResourceType): OwnWrites;
  /** Writes that no cache has shown yet. */
  readonly size: number;
}

const defaultTimeoutMs = 5_000;
const defaultMaxWrites = 10_000;

export function createWriteTracker(options: WriteTrackerOptions): WriteTracker {
  return new CacheComparingTracker(options);
}

interface Write {
  readonly id: string;
  readonly key: string;
  readonly kind: WatchedKind;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The reconciles that must not run before this is seen. */
  readonly concerns: readonly string[];
  readonly seen: PromiseWithResolvers<void>;
  /** Waited for once in vain; not again. */
  isOverdue: boolean;
}

class CacheComparingTracker implements WriteTracker {
  readonly #options: WriteTrackerOptions;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, WatchedKind>();
  /** In the order of writing. */
  readonly #writes = new Map<string, Write>();
  readonly #byConcern = new Map<string, Set<Write>>();
  readonly #echoes = new WeakSet<LiveObject>();
  /** The answers to come; undefined is that of a write that failed. */
  readonly #inFlight = new Map<string, Promise<LiveObject | undefined>>();

  constructor(options: WriteTrackerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    for (const kind of options.informers) {
      const id = kindId(kind.type.group, kind.type.kind);
      if (this.#kinds.has(id)) {
        throw new Error(`two informers of ${kind.type.plural} were given; reconciles can be checked against one only`);
      }
      this.#kinds.set(id, kind);
      kind.store.onChange((change) => this.#heard(kind.type, change));
    }
  }

  get size(): number {
    return this.#writes.size;
  }

  async follow<T extends LiveObject>(type: ResourceType, key: string, write: () => Promise<T>): Promise<T> {
    const id = objectId(type, key);
    const answer = write();
    const ended = answer.catch(() => undefined);
    this.#inFlight.set(id, ended);
    try {
      const object = await answer;
      this.wrote(type, object);
      return object;
    } finally {
      if (this.#inFlight.get(id) === ended) this.#inFlight.delete(id);
    }
  }

  wrote(type: ResourceType, object: LiveObject): void {
    const kind = this.#kinds.get(kindId(type.group, type.kind));
    if (kind === undefined) return;
    const key = keyOf(object);
    const id = objectId(type, key);
    const previous = this.#writes.get(id);
    const { uid, resourceVersion } = object.metadata;
    if (previous?.uid === uid && isOlder(resourceVersion, previous.resourceVersion)) return;
    const concerns = [id, ...controllerIds(object)];
    this.#drop(previous);
    const seen = Promise.withResolvers<void>();
    const write: Write = { id, key, kind, uid, resourceVersion, concerns, seen, isOverdue: false };
    if (isSeen(write)) return;
    this.#writes.set(id, write);
    for (const concern of concerns) {
      const writes = this.#byConcern.get(concern) ?? new Set();
      this.#byConcern.set(concern, writes.add(write));
    }
    for (const oldest of this.#writes.values()) {
      if (this.#writes.size <= (this.#options.limit ?? defaultMaxWrites)) break;
      this.#drop(oldest);
    }
  }

  isBehind(type: ResourceType, key: string): boolean {
    return this.#writes.has(objectId(type, key));
  }

  isEcho(object: LiveObject): boolean | Promise<boolean> {
    if (this.#echoes.has(object)) return true;
    const ended = this.#inFlight.get(`${kindId(groupOf(object.apiVersion), object.kind)} ${keyOf(object)}`);
    return ended?.then((answer) => answer !== undefined && isVersion(answer, object)) ?? false;
  }

  forget(type: ResourceType, key: string): void {
    this.#drop(this.#writes.get(objectId(type, key)));
  }

  of(type: ResourceType): OwnWrites {
    return { ensureSeen: (key) => this.#ensureSeen(objectId(type, key)) };
  }

  #ensureSeen(concern: string): Promise<void> | undefined {
    const waiting = [...(this.#byConcern.get(concern) ?? [])].filter((write) => !write.isOverdue);
    if (waiting.length === 0) return undefined;
    return new Promise((resolve) => {
      const timer = this.#clock.schedule(this.#options.timeoutMs ?? defaultTimeoutMs, () => {
        for (const write of waiting) this.#giveUp(write);
        resolve();
      });
      void Promise.all(waiting.map((write) => write.seen.promise)).then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #giveUp(write: Write): void {
    if (this.#writes.get(write.id) !== write) return;
    write.isOverdue = true;
    const { kind, key, resourceVersion } = write;
    this.#options.log.warn(
      { kind: kind.type.kind, key, resourceVersion, cached: kind.store.get(key)?.metadata.resourceVersion },
      "cache does not show our own write",
    );
  }

  #heard(type: ResourceType, change: Change<LiveObject>): void {
    const write = this.#writes.get(objectId(type, keyOf(change.type === "deleted" ? change.previous : change.object)));
    if (write === undefined) return;
    if (change.type !== "deleted" && isVersion({ metadata: write }, change.object)) this.#echoes.add(change.object);
    const isDeleted = change.type === "deleted" && change.previous.metadata.uid === write.uid;
    if (isDeleted || isSeen(write)) this.#drop(write);
  }

  #drop(write: Write | undefined): void {
    if (write === undefined) return;
    this.#writes.delete(write.id);
    for (const concern of write.concerns) {
      const writes = this.#byConcern.get(concern);
      writes?.delete(write);
      if (writes?.size === 0) this.#byConcern.delete(concern);
    }
    write.seen.resolve();
  }
}

type Versioned = { readonly metadata: Pick<LiveMeta, "uid" | "resourceVersion"> };

function isVersion(written: Versioned, { metadata: { uid, resourceVersion } }: Versioned): boolean {
  return written.metadata.uid === uid && written.metadata.resourceVersion === resourceVersion;
}

/** Versions that cannot be compared count as seen: there is nothing to wait for. */
function isSeen({ kind, key, resourceVersion }: Write): boolean {
  const cached = kind.store.get(key);
  return cached !== undefined && !isOlder(cached.metadata.resourceVersion, resourceVersion);
}

function controllerIds(object: KubeObject): string[] {
  const owner = controllerOf(object);
  if (owner === undefined) return [];
  return [`${kindId(groupOf(owner.apiVersion), owner.kind)} ${objectKey(object.metadata.namespace, owner.name)}`];
}

function objectId(type: ResourceType, key: string): string {
  return `${kindId(type.group, type.kind)} ${key}`;
}

/** Without the version: it may differ between a reference and our client. */
function kindId(group: string, kind: string): string {
  return `${group}/${kind}`;
}

// The cache of one kind: objects by key, named indexes, and listeners that hear every change in order. Never lets an
// older resourceVersion replace a newer one; a changed uid is a deletion and a new object. Only a reflector writes.
import { isOlder } from "./resource-version.ts";
import { keyOf, type LiveObject } from "./object.ts";

export type Change<T> =
  /** `initial` marks objects of the first list: nobody waits for those, so they may come after news. */
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "modified"; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly previous: T };

export type ChangeListener<T> = (change: Change<T>) => void;

/** What everyone but the reflector sees. */
export interface ReadStore<T extends LiveObject, Index extends string = never> {
  readonly size: number;
  get(key: string): T | undefined;
  list(): T[];
  byIndex(index: Index, value: string): T[];
  /**
   * Hears every change from now on, in order, after an `added` for each object already here. A listener that throws
   * is reported and hears the next change as if nothing had happened. Returns the way to stop.
   */
  onChange(listener: ChangeListener<T>): () => void;
}

export interface StoreOptions<T, Index extends string> {
  /** The values under which an object is found, per index. */
  readonly indexes: Readonly<Record<Index, (object: T) => readonly string[]>>;
  readonly onListenerError: (error: unknown, change: Change<T>) => void;
}

export interface ReplaceOptions {
  /** Only objects of this namespace are replaced; the others belong to another reflector. */
  readonly namespace?: string | undefined;
  readonly initial?: boolean;
  /** The server's history went back (a restored backup): take the list even where it is older. */
  readonly reset?: boolean;
  /** Keys that exist although they are not in the list, because they could not be read. */
  readonly retain?: ReadonlySet<string>;
}

export class Store<T extends LiveObject, Index extends string = never> implements ReadStore<T, Index> {
  readonly #objects = new Map<string, T>();
  readonly #buckets = new Map<string, Map<string, Set<string>>>();
  readonly #listeners = new Set<ChangeListener<T>>();
  readonly #options: StoreOptions<T, Index>;

  constructor(options: StoreOptions<T, Index>) {
    this.#options = options;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: Index, value: string): T[] {
    const found: T[] = [];
    for (const key of this.#buckets.get(index)?.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  onChange(listener: ChangeListener<T>): () => void {
    // A function of its own, so that the same listener can be given twice.
    const own: ChangeListener<T> = (change) => listener(change);
    for (const object of this.list()) this.#deliver(own, { type: "added", object, initial: true });
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Makes the store equal to a list: what is missing is deleted, the rest added or modified where it differs. */
  replace(objects: readonly T[], options: ReplaceOptions = {}): void {
    const listed = new Set(objects.map((object) => keyOf(object)));
    for (const [key, object] of [...this.#objects]) {
      const ours = options.namespace === undefined || object.metadata.namespace === options.namespace;
      if (ours && !listed.has(key) && options.retain?.has(key) !== true) this.#delete(key, object);
    }
    for (const object of objects) this.#put(object, options.initial ?? false, options.reset ?? false);
  }

  upsert(object: T): void {
    this.#put(object, false, false);
  }

  /** Puts another form of the very version that is here in its place: no news for anybody. */
  exchange(key: string, object: T): void {
    const previous = this.#objects.get(key);
    if (previous === undefined || !isSameVersion(previous, object)) return;
    this.#unindex(key, previous);
    this.#set(key, object);
  }

  /** `object` is the deletion as the server told it: name, uid and the deletion's own resourceVersion. */
  remove(object: LiveObject): void {
    const key = keyOf(object);
    const existing = this.#objects.get(key);
    if (existing === undefined || isOlder(object.metadata.resourceVersion, existing.metadata.resourceVersion)) return;
    this.#delete(key, existing);
  }

  #put(object: T, initial: boolean, reset: boolean): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous === undefined) {
      this.#set(key, object);
      this.#announce({ type: "added", object, initial });
      return;
    }
    const [had, has] = [previous.metadata, object.metadata];
    if (!reset && isOlder(has.resourceVersion, had.resourceVersion)) return;
    if (had.uid !== has.uid) {
      this.#delete(key, previous);
      this.#set(key, object);
      this.#announce({ type: "added", object, initial: false });
    } else if (had.resourceVersion !== has.resourceVersion) {
      this.#unindex(key, previous);
      this.#set(key, object);
      this.#announce({ type: "modified", object, previous });
    }
  }

  #set(key: string, object: T): void {
    this.#objects.set(key, object);
    for (const [index, value] of this.#valuesOf(object)) {
      const bucket = getOrCreate(this.#buckets, index, () => new Map<string, Set<string>>());
      getOrCreate(bucket, value, () => new Set<string>()).add(key);
    }
  }

  #delete(key: string, object: T): void {
    this.#unindex(key, object);
    this.#objects.delete(key);
    this.#announce({ type: "deleted", previous: object });
  }

  #unindex(key: string, object: T): void {
    for (const [index, value] of this.#valuesOf(object)) {
      const bucket = this.#buckets.get(index);
      const keys = bucket?.get(value);
      keys?.delete(key);
      if (keys?.size === 0) bucket?.delete(value);
    }
  }

  *#valuesOf(object: T): Generator<readonly [string, string]> {
    for (const [index, valuesOf] of Object.entries<(object: T) => readonly string[]>(this.#options.indexes)) {
      for (const value of valuesOf(object)) yield [index, value];
    }
  }

  #announce(change: Change<T>): void {
    for (const listener of [...this.#listeners]) this.#deliver(listener, change);
  }

  #deliver(listener: ChangeListener<T>, change: Change<T>): void {
    try {
      const result: unknown = listener(change);
      // An async function is accepted where a void one is asked for; its failure must not go unhandled.
      if (result instanceof Promise) result.catch((error: unknown) => this.#options.onListenerError(error, change));
    } catch (error) {
      this.#options.onListenerError(error, change);
    }
  }
}

function isSameVersion(a: LiveObject, b: LiveObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

// Where a controller's keys come from: changes in an informer's store, turned into the keys of the objects to reconcile.
import { renderCanonical } from "./canonical.ts";
import type { Informer } from "./informer.ts";
import { controllerOf, keyOf, objectKey, type LiveMeta, type LiveObject } from "./object.ts";
import { groupOf, type ResourceType } from "./resource.ts";
import type { Change } from "./store.ts";
import type { AddOptions } from "./work-queue.ts";

/** What changes comes before what is new, so that an edit need not wait for a burst; objects of a first list come last. */
const [newPriority, initialPriority] = [-10, -100];

export interface Source {
  readonly name: string;
  readonly hasSynced: boolean;
  /** Undefined once all is known that concerns keys of this namespace; else resolves when it is. */
  ensureSynced(namespace: string | undefined): Promise<void> | undefined;
  /** Delivers keys from now on, those of objects already known first. Returns the way to stop. */
  connect(enqueue: (key: string, options: AddOptions) => void): () => void;
}

export interface SourceOptions<T extends LiveObject> {
  readonly informer: Pick<Informer<T>, "type" | "hasSynced" | "ensureSynced"> & {
    readonly store: { onChange(listener: (change: Change<T>) => void): () => void };
  };
  /** Whom a change concerns. Asked for the old and the new version, so that a former owner hears of it too. */
  readonly toKeys: (object: T) => Iterable<string>;
  /** Whether a modification matters; additions and deletions always do. */
  readonly when?: (previous: T, object: T) => boolean;
  /** Whether an object is just what a reconcile has written and judged by: no news, except in a first list. */
  readonly isEcho?: (object: T) => boolean | Promise<boolean>;
  /** Waits so long after a change for more of them: for what is counted over many objects. */
  readonly gatherMs?: number;
}

export function createSource<T extends LiveObject>(options: SourceOptions<T>): Source {
  const { informer, toKeys, when, isEcho, gatherMs } = options;
  return {
    name: informer.type.plural,
    get hasSynced() {
      return informer.hasSynced;
    },
    ensureSynced: (namespace) => informer.ensureSynced(namespace),
    connect: (enqueue) =>
      informer.store.onChange((change) => {
        if (change.type === "modified" && when !== undefined && !when(change.previous, change.object)) return;
        const initial = change.type === "added" && change.initial;
        const add: AddOptions = {
          priority: initial ? initialPriority : change.type === "added" ? newPriority : 0,
          ...(initial || gatherMs === undefined ? {} : { afterMs: gatherMs }),
        };
        const keys = new Set<string>();
        if (change.type !== "added") for (const key of toKeys(change.previous)) keys.add(key);
        if (change.type !== "deleted") for (const key of toKeys(change.object)) keys.add(key);
        const enqueueAll = () => keys.forEach((key) => enqueue(key, add));
        const echo = change.type !== "deleted" && !initial && isEcho?.(change.object);
        if (echo instanceof Promise) void echo.then((is) => is || enqueueAll());
        else if (echo !== true) enqueueAll();
      }),
  };
}

/** For `toKeys`: the object itself. */
export function selfKey(object: LiveObject): string[] {
  return [keyOf(object)];
}

/** For `toKeys`: the object's controller when it is of this kind. */
export function ownerKey(owner: ResourceType): (object: LiveObject) => string[] {
  return (object) => {
    const reference = controllerOf(object);
    // Versions may differ between the reference and our client; the group may not.
    if (reference === undefined || reference.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) {
      return [];
    }
    return [objectKey(object.metadata.namespace, reference.name)];
  };
}

/** For `when`: ignores what only touches status, above all our own status writes. Kinds without generation always count. */
export function desiredStateChanged(previous: LiveObject, object: LiveObject): boolean {
  const [had, has] = [previous.metadata, object.metadata];
  if (has.generation === undefined || had.generation !== has.generation) return true;
  return renderCanonical(intentOf(had)) !== renderCanonical(intentOf(has));
}

function intentOf({ labels, annotations, finalizers, ownerReferences, deletionTimestamp }: LiveMeta): unknown[] {
  return [labels, annotations, finalizers, ownerReferences, deletionTimestamp];
}

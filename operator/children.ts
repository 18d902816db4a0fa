// The one writer of children: applies what was rendered, in order, each only where the server holds something else
// (OPR-2), and never an object of the same name that belongs to someone else (OPR-5).
import { annotations, fieldManager } from "../crds/names.ts";
import { createApplier, deleteObject, type Applier } from "../lib/kube/apply.ts";
import type { WriteTracker } from "../lib/kube/consistency.ts";
import { Waiting } from "../lib/kube/outcome.ts";
import {
  controllerOf,
  isControlledBy,
  keyOf,
  objectKey,
  type KubeObject,
  type LiveObject,
} from "../lib/kube/object.ts";
import type { Transport } from "../lib/kube/transport.ts";
import type { ReconcileContext } from "../lib/kube/controller.ts";
import type { Logger } from "../lib/process/log.ts";
import type { Caches } from "./caches.ts";
import { failureOf, RemovalFailed, type Failure } from "./failure.ts";
import type { OwnerGuard, Reconciling } from "../lib/kube/owner-guard.ts";
import { childTypes, type ChildKind } from "./resources.ts";

/** The writing of one reconcile. */
export interface Writing extends Reconciling {
  /** What was written so far, such as `created Service echo`: for one line of the log. */
  readonly written: string[];
}

export interface ChildWriter {
  /**
   * The object as the server holds it afterwards. Throws `Conflict` for a foreign object, `Waiting` where it or its
   * namespace is being deleted.
   */
  apply(
    kind: ChildKind,
    desired: KubeObject,
    writing: Writing,
    /** Whether an object of this name is ours; by default, whether the owner controls it. */
    ours?: (live: LiveObject) => boolean,
  ): Promise<LiveObject>;
  /**
   * Deletes the owner's child of this name, if the cache has one; never anybody else's. Throws `RemovalFailed`, after
   * some seconds at most, when it is still there.
   */
  remove(kind: ChildKind, name: string, writing: Writing): Promise<void>;
  /** From the cache, whoever owns it. */
  find(kind: ChildKind, namespace: string, name: string): LiveObject | undefined;
  /** From the cache, only when it is the owner's. */
  findOwned(kind: ChildKind, owner: LiveObject, name: string): LiveObject | undefined;
  /** From the cache, all that are the owner's. */
  listOwned(kind: "configMap", owner: LiveObject): LiveObject[];
}

/**
 * Does the writing of one reconcile or a part of it, and tells in one line what was written. A failure that a condition can tell is
 * returned, for the status to be written all the same; any other is thrown.
 */
export async function carryOut<Result>(
  { written }: Writing,
  { log, failures }: Pick<ReconcileContext, "log" | "failures">,
  work: () => Promise<Result>,
): Promise<{ readonly result?: Result; readonly failure?: Failure }> {
  const before = written.length;
  try {
    return { result: await work() };
  } catch (error) {
    const failure = error instanceof Error ? failureOf(error, failures) : undefined;
    if (!failure) throw error;
    return { failure };
  } finally {
    const added = written.slice(before);
    if (added.length > 0) log.info({ written: added }, "children written");
  }
}

const leftoverRetryMs = 2_000;

/**
 * Whether the owner controls it. Throws `Waiting` for what an earlier owner of the same name left behind: the garbage
 * collector removes it, nobody has to.
 */
function isOwnedBy(live: LiveObject, owner: LiveObject): boolean {
  if (isControlledBy(live, owner)) return true;
  const controller = controllerOf(live);
  if (controller?.kind !== owner.kind || controller.name !== owner.metadata.name) return false;
  const message = `${live.kind} ${keyOf(live)} belongs to an earlier ${owner.kind} "${controller.name}" and is being removed; it is created again once it is gone`;
  throw new Waiting({ reason: "ChildTerminating", message, retryMs: leftoverRetryMs });
}

/** A deletion that is not answered must not use up the time of a whole reconcile. */
const removeTimeoutMs = 5_000;

export interface ChildWriterOptions {
  readonly transport: Transport;
  readonly caches: Caches;
  readonly tracker: WriteTracker;
  readonly guard: OwnerGuard;
  readonly log: Logger;
}

export function createChildWriter({ transport, caches, tracker, guard, log }: ChildWriterOptions): ChildWriter {
  const applier: Applier = createApplier({
    transport,
    fieldManager,
    hashAnnotation: annotations.appliedHash,
    log,
    tracker,
  });
  const find = (kind: ChildKind, key: string) => caches.children[kind].store.get(key);
  const findOwned = (kind: ChildKind, owner: LiveObject, name: string) => {
    const found = find(kind, objectKey(owner.metadata.namespace, name));
    return found && isControlledBy(found, owner) ? found : undefined;
  };
  return {
    async apply(kind, desired, writing, ours = (live) => isOwnedBy(live, writing.owner)) {
      const { action, object } = await applier.apply({
        type: childTypes[kind],
        desired,
        live: find(kind, keyOf(desired)),
        judgements: caches.children[kind].judgements,
        ours,
        beforeWrite: (action) => guard.confirm(writing, action),
        signal: writing.signal,
      });
      if (action !== "unchanged") writing.written.push(`${action} ${desired.kind} ${desired.metadata.name}`);
      return object;
    },
    find: (kind, namespace, name) => find(kind, objectKey(namespace, name)),
    findOwned,
    listOwned: (kind, owner) => caches.children[kind].store.byIndex("owner", owner.metadata.uid),
    async remove(kind, name, writing) {
      const found = findOwned(kind, writing.owner, name);
      if (!found || found.metadata.deletionTimestamp !== undefined) return;
      await guard.confirm(writing, "delete");
      const type = childTypes[kind];
      const options = { timeoutMs: removeTimeoutMs, signal: writing.signal };
      const action = await deleteObject(transport, type, found, options).catch((cause: unknown) => {
        throw new RemovalFailed(`${type.kind} ${keyOf(found)}`, cause);
      });
      if (action === "replaced") {
        throw new RemovalFailed(`${type.kind} ${keyOf(found)}`, new Error("another object has its name now"));
      }
      writing.written.push(`${action} ${type.kind} ${name}`);
    },
  };
}

// Writing objects: server-side apply and deletion, and the applier, which writes a child only when it is missing,
// outdated or edited by hand, and never when it belongs to someone else.
// Questions 5 to 7 of "Is what I see fresh?" in README.md.
import { isConflict, isInvalid, isNamespaceTerminating, isNotFound } from "./api-error.ts";
import { hashOf } from "./canonical.ts";
import { differences } from "./compare.ts";
import type { WriteTracker } from "./consistency.ts";
import { parseObject } from "./decode.ts";
import { renderKeyPatch } from "./edited-keys.ts";
import type { Judgements } from "./judged-objects.ts";
import { keyOf, type KubeObject, type LiveMeta, type LiveObject, type RawObject } from "./object.ts";
import { Conflict, Waiting } from "./outcome.ts";
import { objectPath, type ResourceType } from "./resource.ts";
import type { Transport } from "./transport.ts";
import type { Logger } from "../process/log.ts";

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const applyContentType = "application/apply-patch+yaml";

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields that another manager set. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  /** Then only the metadata comes back. */
  readonly subresource?: "status";
}

/**
 * One server-side apply, whatever is there. With `metadata.uid` it fails (422, or 409 where none is) unless it meets
 * just that object; with `metadata.resourceVersion` it fails (409) where another version is, but creates where none is.
 */
export async function applyObject(
  transport: Transport,
  type: ResourceType,
  object: KubeObject,
  options: ApplyOptions,
): Promise<RawObject> {
  const answer = await transport.request({
    method: "PATCH",
    path: objectPath(type, object.metadata, options.subresource),
    query: { fieldManager: options.fieldManager, force: options.force },
    contentType: applyContentType,
    body: object,
    // What was sent is known; of a status only the new version is needed.
    ...(options.subresource === "status" ? { accept: metadataOnly } : {}),
    signal: options.signal,
  });
  return parseObject(answer, type);
}

async function patchObject(
  transport: Transport,
  type: ResourceType,
  object: KubeObject,
  operations: readonly object[],
  { fieldManager, signal }: Pick<ApplyOptions, "fieldManager" | "signal">,
): Promise<void> {
  await transport.request({
    method: "PATCH",
    path: objectPath(type, object.metadata),
    query: { fieldManager },
    contentType: "application/json-patch+json",
    body: operations,
    signal,
  });
}

export async function getObject(
  transport: Pick<Transport, "request">,
  type: ResourceType,
  object: { readonly namespace?: string | undefined; readonly name: string },
  options: { readonly signal: AbortSignal },
): Promise<RawObject | undefined> {
  try {
    return parseObject(
      await transport.request({ method: "GET", path: objectPath(type, object), signal: options.signal }),
      type,
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export interface DeleteOptions {
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Deletes that very object, whatever became of it since. One of its name that came after it stays: "replaced", so look
 * again.
 */
export async function deleteObject(
  transport: Transport,
  type: ResourceType,
  object: LiveObject,
  options: DeleteOptions,
): Promise<"deleted" | "gone" | "replaced"> {
  try {
    await transport.request({
      method: "DELETE",
      path: objectPath(type, object.metadata),
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid: object.metadata.uid },
        propagationPolicy: "Background",
      },
      ...options,
    });
    return "deleted";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    if (isConflict(error)) return "replaced";
    throw error;
  }
}

export interface ApplierOptions {
  readonly transport: Transport;
  readonly fieldManager: string;
  /** Annotation, such as `example.com/applied-hash`, that remembers what was last applied. */
  readonly hashAnnotation: string;
  /** Told of each write (I7). Where it says that the cache is behind, the server is asked instead. */
  readonly tracker?: WriteTracker;
  readonly log: Logger;
}

export interface ApplyRequest {
  readonly type: ResourceType;
  readonly desired: KubeObject;
  /** From the cache, complete (nothing dropped by `parse`) unless `judgements` know it. Undefined where there is none. */
  readonly live: LiveObject | undefined;
  /** Of the cache that `live` is from: what was found of its objects, told of what is found now. */
  readonly judgements?: Judgements<LiveObject> | undefined;
  /** Whether an object of this name may be written; mostly `isControlledBy(live, owner)`. */
  readonly ours: (live: LiveObject) => boolean;
  /** Runs right before a write, and none is made when it throws: a last look at what a cache may not show. */
  readonly beforeWrite?: (action: "create" | "update") => Promise<void>;
  readonly signal: AbortSignal;
}

export interface ApplyResult {
  readonly action: "created" | "updated" | "unchanged";
  readonly object: LiveObject;
}

export interface Applier {
  /**
   * Makes the server hold `desired`, with no write when it does already. Throws `Conflict` when the name is taken by
   * an object that is not ours, and `Waiting` while an earlier one (ChildTerminating) or the whole namespace
   * (NamespaceTerminating) is being deleted.
   */
  apply(request: ApplyRequest): Promise<ApplyResult>;
}

/** So many objects may differ for good from what was asked (see `#settled`) before the oldest is tried again. */
const maxSettled = 10_000;
const terminatingRetryMs = 2_000;
/** A namespace does not come back from it, so there is nothing to look for. */
const namespaceRetryMs = 60_000;
/** etcd is at revision 1 before its first write, so no object has this version: an apply that asks for it can only create. */
const versionOfNone = "1";

export function createApplier(options: ApplierOptions): Applier {
  return new ComparingApplier(options);
}

class ComparingApplier implements Applier {
  readonly #options: ApplierOptions;
  /**
   * By uid: differences that remained right after an apply, because the server or a webhook prefers another form.
   * Writing again would not help, and would never end.
   */
  readonly #settled = new Map<string, string>();

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  async apply(request: ApplyRequest): Promise<ApplyResult> {
    const { type, desired, signal } = request;
    const { transport, tracker } = this.#options;
    const read = () => getObject(transport, type, desired.metadata, { signal });
    let live = request.live;
    if (tracker?.isBehind(type, keyOf(desired)) === true) {
      live = await read();
      if (live === undefined) tracker.forget(type, keyOf(desired));
    }
    if (live !== undefined) return this.#update(request, live);
    try {
      return { action: "created", object: await this.#write(request, { resourceVersion: versionOfNone }) };
    } catch (error) {
      if (isNamespaceTerminating(error)) {
        const message = `${type.kind} ${keyOf(desired)} was not created: its namespace is being deleted`;
        throw new Waiting({ reason: "NamespaceTerminating", message, retryMs: namespaceRetryMs, cause: error });
      }
      if (!isConflict(error)) throw error;
      // The name is taken: by ours, which the cache does not have yet, or by someone else's.
      const found = await read();
      if (found === undefined) throw error;
      return this.#update(request, found);
    }
  }

  async #update(request: ApplyRequest, live: LiveObject): Promise<ApplyResult> {
    const { type, desired, ours } = request;
    const key = keyOf(desired);
    if (!ours(live)) {
      throw new Conflict({
        message: `${type.kind} ${key} exists and is not ours; delete or rename it, or choose another name for the resource that needs it`,
      });
    }
    if (live.metadata.deletionTimestamp !== undefined) {
      const message = `${type.kind} ${key} is being deleted; it is created again once it is gone`;
      throw new Waiting({ reason: "ChildTerminating", message, retryMs: terminatingRetryMs });
    }
    if (this.#isClean(request, live)) return { action: "unchanged", object: live };
    return { action: "updated", object: await this.#write(request, { uid: live.metadata.uid }, live) };
  }

  /** `bound` ties the write to what was judged: that one object, or none. */
  async #write(request: ApplyRequest, bound: Partial<LiveMeta>, live?: LiveObject): Promise<LiveObject> {
    const { type, desired, signal } = request;
    const { transport, fieldManager, tracker } = this.#options;
    await request.beforeWrite?.(live === undefined ? "create" : "update");
    const { stamped } = this.#stamp(desired);
    const object = { ...stamped, metadata: { ...stamped.metadata, ...bound } };
    const apply = () => applyObject(transport, type, object, { fieldManager, force: true, signal });
    const send = () =>
      apply().catch(async (refusal: unknown) => {
        const patch = live && isInvalid(refusal) ? renderKeyPatch(desired, live) : undefined;
        if (patch === undefined) throw refusal;
        await patchObject(transport, type, desired, patch, { fieldManager, signal });
        return apply();
      });
    const applied = await (tracker?.follow(type, keyOf(desired), send) ?? send());
    this.#remember(request, applied);
    return applied;
  }

  /** The hash notices fields that are not desired any more, which a comparison with the live object cannot. */
  #stamp(desired: KubeObject): { stamped: KubeObject; hash: string } {
    const hash = hashOf(desired);
    const annotations = { ...desired.metadata.annotations, [this.#options.hashAnnotation]: hash };
    return { stamped: { ...desired, metadata: { ...desired.metadata, annotations } }, hash };
  }

  #isClean({ desired, judgements }: ApplyRequest, live: LiveObject): boolean {
    const { stamped, hash } = this.#stamp(desired);
    const held = judgements?.heldBy(live);
    if (held !== undefined) return held === hash;
    const found = differences(stamped, live);
    if (found.length > 0 && this.#settled.get(live.metadata.uid) !== hashOf([stamped, found])) return false;
    judgements?.judge(live, hash);
    return true;
  }

  #remember({ type, desired, judgements }: ApplyRequest, applied: RawObject): void {
    const { stamped, hash } = this.#stamp(desired);
    const { uid } = applied.metadata;
    this.#settled.delete(uid);
    judgements?.judge(applied, hash);
    const found = differences(stamped, applied);
    if (found.length === 0) return;
    this.#settled.set(uid, hashOf([stamped, found]));
    for (const oldest of this.#settled.keys()) {
      if (this.#settled.size <= maxSettled) break;
      this.#settled.delete(oldest);
    }
    // Paths only: values may be private.
    const paths = found.map((difference) => difference.path);
    this.#options.log.info(
      { kind: type.kind, key: keyOf(applied), paths },
      "server keeps another form of applied fields",
    );
  }
}

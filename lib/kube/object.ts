// The shape every Kubernetes object shares, and the few questions asked of any of them.
// Knows nothing of particular kinds: those types belong to whoever uses the kernel.

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** What a renderer makes: an object that may not exist yet. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface LiveMeta extends ObjectMeta {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What the API server gave us: it has a uid and a resourceVersion. */
export interface LiveObject extends KubeObject {
  readonly metadata: LiveMeta;
}

/** A live object whose kind-specific fields are still unread JSON. */
export type RawObject = LiveObject & Readonly<Record<string, unknown>>;

/** Nothing but who the object is, for caches that keep what they parsed instead of the rest. */
export function identityOf({ apiVersion, kind, metadata }: LiveObject): LiveObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const inNamespace = namespace === undefined ? {} : { namespace };
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, ...inNamespace } };
}

/** The key of an object in stores and queues: `namespace/name`, or `name` where there is no namespace. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/** The inverse of `objectKey`; Kubernetes names hold no `/`. */
export function splitKey(key: string): { namespace: string | undefined; name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Judged by uid: an owner of the same name that was deleted and made again is another owner. */
export function isControlledBy(child: KubeObject, owner: LiveObject): boolean {
  return controllerOf(child)?.uid === owner.metadata.uid;
}

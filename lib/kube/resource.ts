// What the kernel must know of a kind to talk about it: group, version, plural and kind, and the URL paths made of them.

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

export function apiVersionOf(type: ResourceType): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/** The group in an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The path of a collection: of one namespace, or without one of the whole cluster. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${type.plural}`;
}

/** The path of one object, or of a subresource of it such as `status`. */
export function objectPath(
  type: ResourceType,
  object: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: string,
): string {
  const path = `${collectionPath(type, object.namespace)}/${encodeURIComponent(object.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

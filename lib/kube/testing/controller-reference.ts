// The owner reference of a child in a test.
import type { LiveObject, OwnerReference } from "../object.ts";

export function controllerReference({ apiVersion, kind, metadata: { name, uid } }: LiveObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

// What every child has in common: labels, selector, owner reference.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { apiVersion, labels, type Component } from "../../crds/names.ts";

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: true;
}

export interface RenderedMeta {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  /** Absent on what must outlive its owner. */
  ownerReferences?: OwnerReference[];
}

/** A Kubernetes type as it is applied: identity always present, nothing that only a server fills. */
export type Rendered<T> = Omit<T, "apiVersion" | "kind" | "metadata" | "status"> & {
  apiVersion: string;
  kind: string;
  metadata: RenderedMeta;
};

type Owner = PallasAgent | PallasInstance;

const instanceOf = (owner: Owner): string =>
  owner.kind === "PallasAgent" && "instanceRef" in owner.spec ? owner.spec.instanceRef.name : owner.metadata.name;

/** The selector of its pods. These labels never change: a Deployment's selector cannot. */
export const renderSelector = (owner: Owner, component: Component): Record<string, string> => ({
  [labels.instance]: instanceOf(owner),
  ...(component === "agent" ? { [labels.agent]: owner.metadata.name } : {}),
  [labels.component]: component,
});

export const renderLabels = (owner: Owner, component: Component): Record<string, string> => ({
  "app.kubernetes.io/name": `pallas-${component}`,
  "app.kubernetes.io/instance": owner.metadata.name,
  "app.kubernetes.io/component": component,
  "app.kubernetes.io/part-of": instanceOf(owner),
  "app.kubernetes.io/managed-by": "pallas",
  ...renderSelector(owner, component),
});

/** Without blockOwnerDeletion, which would need a right on the owner's finalizers (OPR-9). */
const renderOwnerReference = (owner: Owner): OwnerReference => {
  const { name, uid } = owner.metadata;
  if (uid === undefined) {
    throw new Error(`expected a uid on ${owner.kind} "${name}", found none: it was not read from a cluster`);
  }
  return { apiVersion, kind: owner.kind, name, uid, controller: true };
};

/** Metadata of a child called `name`. */
export const renderMetadata = (owner: Owner, component: Component, name: string): RenderedMeta => ({
  name,
  namespace: owner.metadata.namespace,
  labels: renderLabels(owner, component),
  ownerReferences: [renderOwnerReference(owner)],
});

// What every child has in common: labels, selector, owner reference.
import type { V1NetworkPolicyPeer } from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
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

type Owner = PallasAgent | PallasServer | PallasInstance;

const instanceOf = (owner: Owner): string =>
  "instanceRef" in owner.spec ? owner.spec.instanceRef.name : owner.metadata.name;

/** Components of which an instance has many, each with a label that names it. */
const ownLabels: Readonly<Partial<Record<Component, string>>> = { agent: labels.agent, server: labels.server };

/** The selector of its pods. These labels never change: a Deployment's selector cannot. */
export function renderSelector(owner: Owner, component: Component): Record<string, string> {
  const own = ownLabels[component];
  return {
    [labels.instance]: instanceOf(owner),
    ...(own === undefined ? {} : { [own]: owner.metadata.name }),
    [labels.component]: component,
  };
}

/** All pods of a component of an instance, as the peer of a policy in their namespace. */
export const renderPeers = (instance: PallasInstance, component: Component): V1NetworkPolicyPeer => ({
  podSelector: { matchLabels: { [labels.instance]: instance.metadata.name, [labels.component]: component } },
});

/** Of them the pods of these agents or tool servers. */
export const renderNamedPeers = (
  instance: PallasInstance,
  component: "agent" | "server",
  names: readonly string[],
): V1NetworkPolicyPeer => ({
  podSelector: {
    matchLabels: { [labels.instance]: instance.metadata.name, [labels.component]: component },
    matchExpressions: [{ key: labels[component], operator: "In", values: names.toSorted() }],
  },
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

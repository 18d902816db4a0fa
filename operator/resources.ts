// The kinds the operator watches and writes, and the reading of our own two: parsed by plan/, faults kept beside the
// object, so that a resource that does not parse still gets a condition that says why.
import { pallasAgent, type AgentStatus, type PallasAgent } from "../crds/agent.ts";
import { pallasInstance, type InstanceStatus, type PallasInstance } from "../crds/instance.ts";
import { group, version } from "../crds/names.ts";
import type { LiveMeta, LiveObject, RawObject } from "../lib/kube/object.ts";
import type { ResourceType } from "../lib/kube/resource.ts";
import type { Outcome } from "../plan/fault.ts";
import { parseAgent, parseInstance } from "../plan/parse.ts";

export const agentType: ResourceType = { group, version, plural: pallasAgent.plural, kind: pallasAgent.kind };
export const instanceType: ResourceType = { group, version, plural: pallasInstance.plural, kind: pallasInstance.kind };

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };

/** Kinds of children; everything of these kinds with our component label is watched. */
export const childTypes = {
  deployment: { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" },
  service: { group: "", version: "v1", plural: "services", kind: "Service" },
  configMap: { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" },
  serviceAccount: { group: "", version: "v1", plural: "serviceaccounts", kind: "ServiceAccount" },
  role: { ...rbac, plural: "roles", kind: "Role" },
  roleBinding: { ...rbac, plural: "rolebindings", kind: "RoleBinding" },
  networkPolicy: { group: "networking.k8s.io", version: "v1", plural: "networkpolicies", kind: "NetworkPolicy" },
  podDisruptionBudget: { group: "policy", version: "v1", plural: "poddisruptionbudgets", kind: "PodDisruptionBudget" },
  historyClaim: { group: "", version: "v1", plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" },
} as const satisfies Record<string, ResourceType>;
export type ChildKind = keyof typeof childTypes;

interface Watched<Resource, Status> extends LiveObject {
  readonly metadata: LiveMeta & { readonly namespace: string };
  readonly parsed: Outcome<Resource>;
  /** As it is on the server; compared before a write, and carried on where nothing new is known. */
  readonly status: Status | undefined;
}
export type WatchedAgent = Watched<PallasAgent, AgentStatus>;
export type WatchedInstance = Watched<PallasInstance, InstanceStatus>;

const namespaced = ({ metadata }: RawObject): LiveMeta & { readonly namespace: string } => {
  if (metadata.namespace === undefined) throw new Error(`expected a namespace on "${metadata.name}", found none`);
  return { ...metadata, namespace: metadata.namespace };
};

/** A faulty status must not make a resource unreadable: it is then written anew. */
const statusOf = <T>(parsed: Outcome<{ status?: T }>): T | undefined => (parsed.ok ? parsed.value.status : undefined);

export function parseWatchedAgent(raw: RawObject): WatchedAgent {
  const parsed = parseAgent(raw);
  return { apiVersion: raw.apiVersion, kind: raw.kind, metadata: namespaced(raw), parsed, status: statusOf(parsed) };
}

export function parseWatchedInstance(raw: RawObject): WatchedInstance {
  const parsed = parseInstance(raw);
  return { apiVersion: raw.apiVersion, kind: raw.kind, metadata: namespaced(raw), parsed, status: statusOf(parsed) };
}

/** What is read of a Deployment to say whether it serves. */
export interface LiveDeployment extends LiveObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

// The kinds that the operator looks after, those of their children, and what is read of a Deployment.
import { agentType, instanceType, policyType, serverType } from "../crds/kinds.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import type { ResourceType } from "../lib/kube/resource.ts";

/** Our kinds that it watches and whose status it writes. */
export const ownTypes = [agentType, instanceType, serverType, policyType] as const satisfies readonly ResourceType[];

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

/** What is read of a Deployment to say whether it serves. */
export interface LiveDeployment extends LiveObject {
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

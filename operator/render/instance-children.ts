// Everything of an instance's registry: itself, and the least rights the registry can work with (OPR-1, OPR-9).
import type {
  V1Deployment,
  V1PodDisruptionBudget,
  V1PolicyRule,
  V1Role,
  V1RoleBinding,
  V1Service,
  V1ServiceAccount,
} from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import { agentType, instanceType, serverType } from "../../crds/kinds.ts";
import { group, ports, registryName } from "../../crds/names.ts";
import type { Rules } from "../../plan/rules.ts";
import type { Images } from "./agent-children.ts";
import { renderRegistryBudget } from "./disruption-budget.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import type { RenderedNetworkPolicy } from "./policy-rules.ts";
import { follow, renderAccount, renderRole, renderRoleBinding } from "./rbac.ts";
import { renderRegistryDeployment } from "./registry-deployment.ts";
import { renderRegistryNetworkPolicy, usualApiServerPorts } from "./registry-network-policy.ts";

export interface InstanceChildren {
  serviceAccount: Rendered<V1ServiceAccount>;
  role: Rendered<V1Role>;
  roleBinding: Rendered<V1RoleBinding>;
  service: Rendered<V1Service>;
  /** Undefined: none, now. */
  networkPolicy: RenderedNetworkPolicy | undefined;
  podDisruptionBudget: Rendered<V1PodDisruptionBudget> | undefined;
  deployment: Rendered<V1Deployment>;
}

const renderRules = (): V1PolicyRule[] => [
  { apiGroups: [group], resources: [agentType, serverType, instanceType].map(({ plural }) => plural), verbs: follow },
  // Where the agents' pods are, for scraping.
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: follow },
];

const renderService = (instance: PallasInstance, name: string): Rendered<V1Service> => {
  const { type = "ClusterIP", port = ports.registry } = instance.spec.registry?.service ?? {};
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: renderMetadata(instance, "registry", name),
    spec: {
      type,
      selector: renderSelector(instance, "registry"),
      ports: [{ name: "http", port, targetPort: "http", protocol: "TCP", appProtocol: "http" }],
    },
  };
};

/** The children of an instance without problems, by the rules by which it was judged so. */
export function renderInstanceChildren(
  instance: PallasInstance,
  images: Images,
  rules: Rules,
  apiServerPorts: readonly number[] = usualApiServerPorts,
): InstanceChildren {
  const name = registryName(instance.metadata.name);
  return {
    serviceAccount: renderAccount(instance, "registry", name),
    role: renderRole(instance, "registry", name, renderRules()),
    roleBinding: renderRoleBinding(instance, "registry", name),
    service: renderService(instance, name),
    networkPolicy: renderRegistryNetworkPolicy(instance, apiServerPorts),
    podDisruptionBudget: renderRegistryBudget(instance),
    deployment: renderRegistryDeployment(instance, instance.spec.images?.registry || images.registry, rules),
  };
}

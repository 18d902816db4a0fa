// Everything of the gateway of an instance that has one, in the order it is written: what its pods need comes before the
// Deployment. Its rights are what it reads, and what `management` lets it write; it has no verb on Secrets (OPR-9).
import type {
  V1ConfigMap,
  V1Deployment,
  V1PodDisruptionBudget,
  V1PolicyRule,
  V1Role,
  V1RoleBinding,
  V1Service,
  V1ServiceAccount,
} from "@kubernetes/client-node";
import type { NetworkPolicyPeer } from "../../crds/agent-settings.ts";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { agentType, approvalType, instanceType, policyType, registrationType, serverType } from "../../crds/kinds.ts";
import { configFiles, gatewayConfigName, gatewayName, group } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import { resolveGateway, type ResolvedGateway } from "../../plan/gateway.ts";
import { serialiseConfig } from "../../plan/run-config.ts";
import type { Rules } from "../../plan/rules.ts";
import type { Images } from "./agent-children.ts";
import { renderGatewayBudget } from "./disruption-budget.ts";
import { renderGatewayDeployment } from "./gateway-deployment.ts";
import { renderGatewayNetworkPolicy } from "./gateway-network-policy.ts";
import { renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import type { RenderedNetworkPolicy } from "./policy-rules.ts";
import { follow, renderAccount, renderRole, renderRoleBinding } from "./rbac.ts";
import { usualApiServerPorts } from "./registry-network-policy.ts";

export interface GatewayChildren {
  serviceAccount: Rendered<V1ServiceAccount>;
  role: Rendered<V1Role>;
  roleBinding: Rendered<V1RoleBinding>;
  runConfig: Rendered<V1ConfigMap>;
  service: Rendered<V1Service>;
  /** Undefined: none, now. */
  networkPolicy: RenderedNetworkPolicy | undefined;
  podDisruptionBudget: Rendered<V1PodDisruptionBudget> | undefined;
  deployment: Rendered<V1Deployment>;
}

/** To write a resource of ours whole. */
export const managedVerbs = ["create", "patch", "delete"];
/** What people write, and with `management: readWrite` a gateway for them. */
export const managedTypes = [agentType, serverType];
/** Policies are people's: a gateway changes one where a proposal is approved. */
export const policyVerbs = ["patch"];

export const approvalVerbs = ["get", ...follow, ...managedVerbs];

const followed = [agentType, serverType, instanceType, policyType];

function renderRules(management: GatewayConfig["management"]): V1PolicyRule[] {
  const rules: V1PolicyRule[] = [
    { apiGroups: [group], resources: followed.map(({ plural }) => plural), verbs: follow },
    // What it knows of the tools of servers (DSC-12), what is proposed for policies, and what became of approvals.
    {
      apiGroups: [group],
      resources: [serverType, policyType, approvalType].map(({ plural }) => `${plural}/status`),
      verbs: ["patch"],
    },
    // It alone asks, and deletes what was long decided (MGM-6); read again where another replica was faster.
    { apiGroups: [group], resources: [approvalType.plural], verbs: approvalVerbs },
    // The directory is its own, and nobody else writes there (DIR-1).
    { apiGroups: [group], resources: [registrationType.plural], verbs: [...follow, ...managedVerbs] },
    // Where the agents' pods are, and that the pod of a token is still there.
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: follow },
    // Presets are ConfigMaps; and that the account of a token is still there.
    { apiGroups: [""], resources: ["configmaps", "serviceaccounts"], verbs: follow },
  ];
  if (management === "approve") return rules;
  return [
    ...rules,
    { apiGroups: [group], resources: managedTypes.map(({ plural }) => plural), verbs: managedVerbs },
    { apiGroups: [group], resources: [policyType.plural], verbs: policyVerbs },
  ];
}

const renderConfigMap = ({ instance, config, hash }: ResolvedGateway): Rendered<V1ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: renderMetadata(instance, "gateway", gatewayConfigName(instance.metadata.name, hash)),
  data: { [configFiles.gateway]: serialiseConfig(config) },
  immutable: true,
});

/** With several pods a session is known to one of them. */
const renderAffinity = (replicas: number) =>
  replicas > 1
    ? { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }
    : { sessionAffinity: "None" };

const renderService = ({ instance, replicas, service: { type, port } }: ResolvedGateway): Rendered<V1Service> => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: renderMetadata(instance, "gateway", gatewayName(instance.metadata.name)),
  spec: {
    type,
    selector: renderSelector(instance, "gateway"),
    ...renderAffinity(replicas),
    ports: [{ name: "http", port, targetPort: "http", protocol: "TCP", appProtocol: "http" }],
  },
});

/**
 * Of an instance without faults; undefined where it has no gateway.
 * @param servers its sound ones
 */
export function renderGatewayChildren(
  instance: PallasInstance,
  images: Images,
  rules: Rules,
  apiServerPorts: readonly number[] = usualApiServerPorts,
  metricsFrom: readonly NetworkPolicyPeer[] = [],
  servers: Iterable<PallasServer> = [],
): GatewayChildren | undefined {
  const gateway = resolveGateway(instance);
  if (gateway === undefined) return undefined;
  const name = gatewayName(instance.metadata.name);
  return {
    serviceAccount: renderAccount(instance, "gateway", name),
    role: renderRole(instance, "gateway", name, renderRules(gateway.config.management)),
    roleBinding: renderRoleBinding(instance, "gateway", name),
    runConfig: renderConfigMap(gateway),
    service: renderService(gateway),
    networkPolicy: renderGatewayNetworkPolicy(gateway, apiServerPorts, metricsFrom, servers),
    podDisruptionBudget: renderGatewayBudget(gateway),
    deployment: renderGatewayDeployment(gateway, images.gateway, rules),
  };
}
